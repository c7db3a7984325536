UPDATE outbox
SET state = 'pending', due_ms = ?4, approved_by = ?3, approved_ms = ?4, updated_ms = ?4
WHERE namespace = ?1 AND row_id = ?2 AND state = 'held'
