UPDATE decision_pin
SET revision = revision + 1, answer_seq = NULL, origin = NULL, held_ms = NULL, expires_ms = NULL,
    approved_ms = NULL, approved_by = NULL, rejected_ms = NULL, rejected = NULL
WHERE work_seq = (SELECT seq FROM work WHERE namespace = ?1 AND work_id = ?2)
  AND slot = ?3 AND answer_seq IS NOT NULL
