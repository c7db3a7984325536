-- What a repeat is told. Row numbers are given again once the newest work is forgotten, and the id is not.
SELECT state, output, needs_review, cause, erased_ms IS NOT NULL AS erased FROM work WHERE seq = ?1 AND work_id = ?2
