UPDATE quarantine SET state = ?3, decided_by = ?4, updated_ms = ?5
WHERE namespace = ?1 AND work_id = ?2 AND state = 'waiting'
