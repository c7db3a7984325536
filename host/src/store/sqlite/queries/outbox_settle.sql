-- The fence: an outcome holds only while its token is the latest.
UPDATE outbox
SET state = ?4, due_ms = ?5, cause = ?6, maybe_applied = max(maybe_applied, ?7), receipt = ?8, receipt_truncated = ?9,
    external_reference = ?10, attempt = attempt - ?11, lease_until_ms = NULL, updated_ms = ?12
WHERE namespace = ?1 AND row_id = ?2 AND state = 'sending' AND token = ?3
RETURNING work_id, destination, attempt
