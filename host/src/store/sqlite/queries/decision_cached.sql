SELECT seq, answer, model FROM decision WHERE namespace = ?1 AND cache_key = ?2 AND erased_ms IS NULL
