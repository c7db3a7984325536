UPDATE outbox SET state = 'superseded', cause = ?3, updated_ms = ?4
WHERE namespace = ?1 AND row_id = ?2 AND state = 'held'
