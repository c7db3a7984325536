INSERT INTO token (namespace, token_id, name, person, verbs, hash, created_by, created_ms)
VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)
ON CONFLICT DO NOTHING
