SELECT namespace, token_id, name, person, verbs, created_by, created_ms, revoked_by, revoked_ms FROM token WHERE hash = ?1
