UPDATE sequence SET token = max(token, ?1) + 1 WHERE one = 1 RETURNING token
