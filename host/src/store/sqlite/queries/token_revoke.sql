UPDATE token SET revoked_by = ?3, revoked_ms = ?4 WHERE namespace = ?1 AND token_id = ?2 AND revoked_ms IS NULL
