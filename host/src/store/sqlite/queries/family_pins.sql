SELECT p.work_id, p.slot, p.cache_key
FROM work w JOIN decision_pin p ON p.namespace = w.namespace AND p.work_id = w.work_id
WHERE w.namespace = ?1 AND w.root_key = ?2
