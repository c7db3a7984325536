INSERT INTO decision (namespace, cache_key, model, prompt_version, answer, cost_micros, created_ms)
VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)
ON CONFLICT DO NOTHING
