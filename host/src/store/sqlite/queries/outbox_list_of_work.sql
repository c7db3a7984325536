SELECT * FROM outbox_shown
WHERE namespace = ?1 AND work_id = ?3 AND (?4 IS NULL OR state = ?4)
ORDER BY seq DESC
LIMIT ?2
