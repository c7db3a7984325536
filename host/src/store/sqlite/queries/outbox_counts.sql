SELECT state, count(*) FROM outbox WHERE namespace = ?1 GROUP BY state
