SELECT row_id, work_id, destination, same_key, same_within_ms, approval_reason IS NOT NULL AND approved_by IS NULL AS unapproved
FROM outbox
WHERE namespace = ?1 AND suppressed_by = ?2 AND state = 'suppressed'
ORDER BY seq
LIMIT 1
