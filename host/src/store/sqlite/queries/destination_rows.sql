-- `state <> 'sent'` says that the index of open rows holds them all.
SELECT destination, state, count(*) AS number FROM outbox
WHERE namespace = ?1 AND state IN ('held', 'pending', 'sending', 'blocked', 'in-doubt') AND state <> 'sent'
GROUP BY destination, state
ORDER BY destination
