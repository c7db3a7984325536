INSERT INTO marker (namespace, name, set_ms, set_by) VALUES (?1, ?2, ?3, ?4)
ON CONFLICT DO UPDATE SET set_ms = excluded.set_ms, set_by = excluded.set_by
