-- An answer that another work still refers to is that work's as well, and stays.
UPDATE decision SET answer = ?3, erased_ms = ?4
WHERE namespace = ?1 AND erased_ms IS NULL
  AND cache_key IN (
      SELECT p.cache_key FROM work w JOIN decision_pin p ON p.namespace = w.namespace AND p.work_id = w.work_id
      WHERE w.namespace = ?1 AND w.root_key = ?2 AND p.cache_key IS NOT NULL
      UNION ALL
      SELECT f.cache_key FROM work w JOIN decision_former f ON f.namespace = w.namespace AND f.work_id = w.work_id
      WHERE w.namespace = ?1 AND w.root_key = ?2
  )
  AND NOT EXISTS (
      SELECT 1 FROM decision_pin p JOIN work w ON w.namespace = p.namespace AND w.work_id = p.work_id
      WHERE p.namespace = decision.namespace AND p.cache_key = decision.cache_key
        AND w.root_key <> ?2 AND w.erased_ms IS NULL
  )
