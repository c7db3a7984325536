SELECT stage, count(*) AS number, min(reached_ms) AS oldest_ms, max(reached_ms) AS newest_ms
FROM progress WHERE namespace = ?1
GROUP BY stage
