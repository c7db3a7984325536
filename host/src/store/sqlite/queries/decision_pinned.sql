SELECT d.answer FROM decision_pin p JOIN decision d ON d.namespace = p.namespace AND d.cache_key = p.cache_key
WHERE p.namespace = ?1 AND p.work_id = ?2 AND p.slot = ?3 AND d.erased_ms IS NULL
