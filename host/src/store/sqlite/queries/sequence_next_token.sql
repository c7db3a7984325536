UPDATE sequence SET token = token + 1 WHERE one = 1 RETURNING token
