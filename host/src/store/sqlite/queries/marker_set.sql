INSERT INTO marker (namespace, name, set_ms) VALUES (?1, ?2, ?3)
ON CONFLICT DO UPDATE SET set_ms = excluded.set_ms
