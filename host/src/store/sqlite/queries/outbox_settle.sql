-- The fence: an outcome holds only while its token is the latest. What certainly was not applied may be sent another
-- way, once the operator has corrected the destination: a pause takes the frozen envelope off.
UPDATE outbox
SET state = ?4, due_ms = ?5, cause = ?6, maybe_applied = max(maybe_applied, ?7), receipt = ?8, receipt_truncated = ?9,
    external_reference = ?10, attempt = attempt - ?11, lease_until_ms = NULL, updated_ms = ?12,
    envelope = CASE WHEN ?13 AND max(maybe_applied, ?7) = 0 THEN NULL ELSE envelope END,
    first_attempt_ms = CASE WHEN ?13 AND max(maybe_applied, ?7) = 0 THEN NULL ELSE first_attempt_ms END
WHERE namespace = ?1 AND row_id = ?2 AND state = 'sending' AND token = ?3
RETURNING work_id, destination
