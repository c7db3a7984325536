-- An answer that was erased is none: the pin stands without it.
SELECT d.answer, p.revision, p.held_ms, p.expires_ms, p.approved_ms, p.approved_by, p.rejected_ms, p.rejected
FROM decision_pin p
LEFT JOIN decision d ON d.namespace = p.namespace AND d.cache_key = p.cache_key AND d.erased_ms IS NULL
WHERE p.namespace = ?1 AND p.work_id = ?2 AND p.slot = ?3
