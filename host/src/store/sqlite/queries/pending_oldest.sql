-- Since when the oldest work and the oldest row wait. Both are found by the index of what is open.
SELECT min(created_ms) FROM (
    SELECT created_ms FROM (
        SELECT created_ms FROM work WHERE namespace = ?1 AND state = 'waiting' ORDER BY seq LIMIT 1)
    UNION ALL
    SELECT created_ms FROM (
        SELECT created_ms FROM outbox WHERE namespace = ?1 AND state = 'pending' ORDER BY seq LIMIT 1)
)
