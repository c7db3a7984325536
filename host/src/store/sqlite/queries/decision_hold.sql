-- The first request counts: a run that meets it again does not give it more time.
UPDATE decision_pin SET held_ms = ?4, expires_ms = ?5
WHERE work_seq = (SELECT seq FROM work WHERE namespace = ?1 AND work_id = ?2)
  AND slot = ?3 AND answer_seq IS NOT NULL AND held_ms IS NULL AND approved_ms IS NULL AND rejected_ms IS NULL
