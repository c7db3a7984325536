INSERT INTO evidence (namespace, work_id, at_ms, kind, detail) VALUES (?1, ?2, ?3, ?4, ?5)
