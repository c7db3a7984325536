INSERT INTO decision_pin (namespace, work_id, slot, cache_key, created_ms) VALUES (?1, ?2, ?3, ?4, ?5)
ON CONFLICT DO NOTHING
