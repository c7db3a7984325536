INSERT INTO pause (namespace, scope, name, cause, paused_by, paused_ms) VALUES (?1, ?2, ?3, ?4, ?5, ?6)
ON CONFLICT DO NOTHING
