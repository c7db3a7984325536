UPDATE sequence SET token = max(token, ?1) + ?2 WHERE one = 1
