-- `state <> 'sent'` says that the index of open rows holds them all.
SELECT * FROM outbox_shown
WHERE namespace = ?1 AND state = ?3 AND state <> 'sent'
ORDER BY seq DESC
LIMIT ?2
