UPDATE decision_pin SET approved_ms = ?4, approved_by = ?5
WHERE work_seq = (SELECT seq FROM work WHERE namespace = ?1 AND work_id = ?2)
  AND slot = ?3 AND held_ms IS NOT NULL AND approved_ms IS NULL AND rejected_ms IS NULL
