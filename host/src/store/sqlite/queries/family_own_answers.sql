-- Answers that are nobody else's: found by rule, or asked for anew at a person's word.
SELECT p.answer_seq
FROM work w JOIN decision_pin p ON p.work_seq = w.seq
WHERE w.namespace = ?1 AND w.root_key = ?2 AND p.answer_seq IS NOT NULL AND (p.origin = 'rule' OR p.revision > 1)
UNION ALL
SELECT f.answer_seq
FROM work w JOIN decision_former f ON f.work_seq = w.seq
WHERE w.namespace = ?1 AND w.root_key = ?2 AND f.revision > 1
