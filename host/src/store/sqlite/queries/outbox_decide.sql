-- Nobody's approval is given by saying what may be sent again; who says that it was sent says that it was approved too.
UPDATE outbox
SET state = CASE WHEN ?4 = 'pending' AND approval_reason IS NOT NULL AND approved_by IS NULL THEN 'held' ELSE ?4 END,
    attempt = CASE WHEN ?4 = 'pending' THEN 0 ELSE attempt END,
    first_attempt_ms = CASE WHEN ?4 = 'pending' AND ?9 THEN NULL ELSE first_attempt_ms END,
    due_ms = CASE WHEN approval_reason IS NULL OR approved_by IS NOT NULL THEN ?8 END,
    by_word = (?4 = 'pending' AND ?9),
    approved_by = CASE WHEN ?4 = 'sent' AND approval_reason IS NOT NULL THEN coalesce(approved_by, ?10) ELSE approved_by END,
    approved_ms = CASE WHEN ?4 = 'sent' AND approval_reason IS NOT NULL THEN coalesce(approved_ms, ?5) ELSE approved_ms END,
    receipt = CASE WHEN ?4 = 'sent' THEN x'' ELSE NULL END, suppressed_by = NULL, external_reference = ?7, cause = ?6, updated_ms = ?5
WHERE namespace = ?1 AND row_id = ?2 AND state = ?3
RETURNING work_id, state
