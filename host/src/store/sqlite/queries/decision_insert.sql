-- The first answer stands. One that was erased is none.
INSERT INTO decision (namespace, cache_key, model, prompt_version, answer, calls, tokens_in, tokens_out, cost_micros,
    latency_ms, created_ms)
VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11)
ON CONFLICT (namespace, cache_key) WHERE cache_key IS NOT NULL DO UPDATE
SET model = excluded.model, prompt_version = excluded.prompt_version, answer = excluded.answer, calls = excluded.calls,
    tokens_in = excluded.tokens_in, tokens_out = excluded.tokens_out, cost_micros = excluded.cost_micros,
    latency_ms = excluded.latency_ms, created_ms = excluded.created_ms, erased_ms = NULL
WHERE decision.erased_ms IS NOT NULL
