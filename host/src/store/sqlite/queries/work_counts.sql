SELECT state, count(*) FROM work WHERE namespace = ?1 GROUP BY state
