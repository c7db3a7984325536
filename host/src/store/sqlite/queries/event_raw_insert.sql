INSERT INTO event_raw (namespace, work_id, content_type, headers, body, created_ms) VALUES (?1, ?2, ?3, ?4, ?5, ?6)
