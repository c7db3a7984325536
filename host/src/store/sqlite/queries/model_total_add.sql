-- Capped far below overflow, since the figures are a provider's.
INSERT INTO model_total (namespace, model, calls, failed_calls, tokens_in, tokens_out, cost_micros, asked, cached, replayed)
VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10)
ON CONFLICT DO UPDATE SET
    calls = min(calls + excluded.calls, 9000000000000000000),
    failed_calls = min(failed_calls + excluded.failed_calls, 9000000000000000000),
    tokens_in = min(tokens_in + excluded.tokens_in, 9000000000000000000),
    tokens_out = min(tokens_out + excluded.tokens_out, 9000000000000000000),
    cost_micros = min(cost_micros + excluded.cost_micros, 9000000000000000000),
    asked = asked + excluded.asked, cached = cached + excluded.cached, replayed = replayed + excluded.replayed
