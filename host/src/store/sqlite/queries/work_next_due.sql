SELECT min(at) FROM (
    SELECT min(due_ms) AS at FROM work
    WHERE namespace = ?1 AND step = ?2 AND state = 'waiting' AND holder = 'host'
    UNION ALL
    SELECT min(lease_until_ms) FROM work
    WHERE namespace = ?1 AND step = ?2 AND state = 'running' AND holder = 'host'
)
