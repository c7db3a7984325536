SELECT seq FROM (
    SELECT * FROM (
        SELECT seq, due_ms AS at FROM outbox
        WHERE namespace = ?1 AND destination = ?2 AND state = 'pending' AND due_ms <= ?3
        ORDER BY due_ms, seq LIMIT ?4
    )
    UNION ALL
    SELECT * FROM (
        SELECT seq, lease_until_ms AS at FROM outbox
        WHERE namespace = ?1 AND destination = ?2 AND state = 'sending' AND lease_until_ms <= ?3
        ORDER BY lease_until_ms, seq LIMIT ?4
    )
)
ORDER BY at, seq
LIMIT ?4
