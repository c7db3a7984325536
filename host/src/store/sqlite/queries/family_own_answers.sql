-- Answers that are nobody else's: found by rule, or asked for anew at a person's word.
SELECT p.cache_key
FROM work w JOIN decision_pin p ON p.namespace = w.namespace AND p.work_id = w.work_id
WHERE w.namespace = ?1 AND w.root_key = ?2 AND p.cache_key IS NOT NULL AND (p.origin = 'rule' OR p.revision > 1)
UNION ALL
SELECT f.cache_key
FROM work w JOIN decision_former f ON f.namespace = w.namespace AND f.work_id = w.work_id
WHERE w.namespace = ?1 AND w.root_key = ?2 AND f.revision > 1
