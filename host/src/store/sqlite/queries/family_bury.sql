INSERT INTO tombstone (namespace, root_key, expired_ms) VALUES (?1, ?2, ?3) ON CONFLICT DO NOTHING
