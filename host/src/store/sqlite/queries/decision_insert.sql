INSERT INTO decision (namespace, cache_key, model, prompt_version, answer, calls, tokens_in, tokens_out, cost_micros,
    latency_ms, created_ms)
VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11)
ON CONFLICT DO NOTHING
