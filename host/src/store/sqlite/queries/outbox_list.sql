SELECT * FROM outbox_shown
WHERE +namespace = ?1
ORDER BY seq DESC
LIMIT ?2
