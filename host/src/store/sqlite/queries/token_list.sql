SELECT namespace, token_id, name, person, verbs, created_by, created_ms, revoked_by, revoked_ms FROM token
WHERE namespace = ?1
ORDER BY seq
