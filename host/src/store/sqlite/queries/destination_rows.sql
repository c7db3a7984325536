-- `state <> 'sent'` says that the index of open rows holds them all.
SELECT destination, state, count(*) AS number FROM outbox
WHERE namespace = ?1 AND (state = 'held' OR state = 'pending' OR state = 'sending' OR state = 'blocked'
                          OR state = 'in-doubt') AND state <> 'sent'
GROUP BY destination, state
ORDER BY destination
