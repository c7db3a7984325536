SELECT * FROM outbox_shown
WHERE +namespace = ?1 AND state = 'sent'
ORDER BY seq DESC
LIMIT ?2
