UPDATE outbox
SET state = ?4, attempt = CASE WHEN ?4 = 'pending' THEN 0 ELSE attempt END,
    first_attempt_ms = CASE WHEN ?4 = 'pending' THEN NULL ELSE first_attempt_ms END,
    due_ms = ?8, by_word = (?4 = 'pending'),
    receipt = CASE WHEN ?4 = 'sent' THEN x'' ELSE NULL END, suppressed_by = NULL, external_reference = ?7, cause = ?6, updated_ms = ?5
WHERE namespace = ?1 AND row_id = ?2 AND state = ?3
RETURNING work_id
