SELECT d.answer, p.revision, p.held_ms, p.expires_ms, p.approved_ms, p.approved_by, p.rejected_ms, p.rejected
FROM decision_pin p LEFT JOIN decision d ON d.namespace = p.namespace AND d.cache_key = p.cache_key
WHERE p.namespace = ?1 AND p.work_id = ?2 AND p.slot = ?3
