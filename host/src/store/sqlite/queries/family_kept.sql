SELECT window_marker, count(*) AS number, min(forget_after_ms) AS next_ms FROM work
WHERE namespace = ?1 AND forget_after_ms IS NOT NULL
GROUP BY window_marker
