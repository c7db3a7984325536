-- The first answer stands. One that was erased is none.
INSERT INTO decision (namespace, cache_key, model, prompt_version, answer, cost_micros, created_ms)
VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)
ON CONFLICT DO UPDATE
SET model = excluded.model, prompt_version = excluded.prompt_version, answer = excluded.answer,
    cost_micros = excluded.cost_micros, created_ms = excluded.created_ms, erased_ms = NULL
WHERE decision.erased_ms IS NOT NULL
