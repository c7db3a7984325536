UPDATE sequence SET token = max(token, ?1), now_ms = max(now_ms, ?2) WHERE one = 1
