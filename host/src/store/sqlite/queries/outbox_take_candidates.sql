SELECT seq FROM (
    SELECT seq, due_ms AS at FROM outbox
    WHERE namespace = ?1 AND destination = ?2 AND state = 'pending' AND due_ms <= ?3
    UNION ALL
    SELECT seq, lease_until_ms FROM outbox
    WHERE namespace = ?1 AND destination = ?2 AND state = 'sending' AND lease_until_ms <= ?3
)
ORDER BY at, seq
LIMIT ?4
