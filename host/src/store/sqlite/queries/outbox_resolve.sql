SELECT * FROM outbox_shown
WHERE namespace = ?1 AND row_id BETWEEN ?2 AND ?3
ORDER BY seq DESC
LIMIT 20
