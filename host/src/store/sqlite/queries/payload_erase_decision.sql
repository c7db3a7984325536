-- An answer that another work still refers to is that work's as well, and stays.
UPDATE decision SET answer = ?3, erased_ms = ?4
WHERE erased_ms IS NULL
  AND seq IN (
      SELECT p.answer_seq FROM work w JOIN decision_pin p ON p.work_seq = w.seq
      WHERE w.namespace = ?1 AND w.root_key = ?2 AND p.answer_seq IS NOT NULL
      UNION ALL
      SELECT f.answer_seq FROM work w JOIN decision_former f ON f.work_seq = w.seq
      WHERE w.namespace = ?1 AND w.root_key = ?2
  )
  AND NOT EXISTS (
      SELECT 1 FROM decision_pin p JOIN work w ON w.seq = p.work_seq
      WHERE p.answer_seq = decision.seq AND w.root_key <> ?2 AND w.erased_ms IS NULL
  )
