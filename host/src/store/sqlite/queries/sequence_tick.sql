UPDATE sequence SET now_ms = max(now_ms, ?1) WHERE one = 1 RETURNING now_ms
