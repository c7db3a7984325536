SELECT row_id FROM outbox
WHERE namespace = ?1 AND state = 'held' AND approval_until_ms IS NOT NULL AND approval_until_ms <= ?2
ORDER BY approval_until_ms
LIMIT ?3
