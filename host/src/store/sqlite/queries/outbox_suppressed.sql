-- The first of those that a row suppressed which has certainly not been applied.
SELECT s.row_id, s.work_id, s.destination, s.same_key, s.same_within_ms,
       s.approval_reason IS NOT NULL AND s.approved_by IS NULL AS unapproved
FROM outbox s JOIN outbox o ON o.namespace = s.namespace AND o.row_id = s.suppressed_by
WHERE s.namespace = ?1 AND s.suppressed_by = ?2 AND s.state = 'suppressed' AND o.maybe_applied = 0
ORDER BY s.seq
LIMIT 1
