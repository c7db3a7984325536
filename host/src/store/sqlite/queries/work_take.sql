-- By state and due time, never by a moving mark: a row that commits late is found all the same. Outside callers come
-- for their own.
SELECT seq FROM (
    SELECT * FROM (
        SELECT seq, due_ms AS at FROM work
        WHERE namespace = ?1 AND step = ?2 AND state = 'waiting' AND holder = 'host' AND due_ms <= ?3
        ORDER BY due_ms LIMIT 1
    )
    UNION ALL
    SELECT * FROM (
        SELECT seq, lease_until_ms AS at FROM work
        WHERE namespace = ?1 AND step = ?2 AND state = 'running' AND holder = 'host' AND lease_until_ms <= ?3
        ORDER BY lease_until_ms LIMIT 1
    )
)
ORDER BY at, seq
LIMIT 1
