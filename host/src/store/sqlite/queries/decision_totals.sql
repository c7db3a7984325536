SELECT model, calls, failed_calls, tokens_in, tokens_out, cost_micros, asked, cached, replayed
FROM model_total WHERE namespace = ?1 ORDER BY model
