-- It leaves its ordering key's line, and the next one moves up.
UPDATE outbox SET state = 'suppressed', suppressed_by = ?3, due_ms = NULL
WHERE namespace = ?1 AND row_id = ?2 AND state IN ('held', 'pending')
