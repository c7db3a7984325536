UPDATE decision_pin
SET revision = revision + 1, cache_key = NULL, origin = NULL, held_ms = NULL, expires_ms = NULL,
    approved_ms = NULL, approved_by = NULL, rejected_ms = NULL, rejected = NULL
WHERE namespace = ?1 AND work_id = ?2 AND slot = ?3 AND cache_key IS NOT NULL
