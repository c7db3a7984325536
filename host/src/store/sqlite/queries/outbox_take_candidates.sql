-- A person's word holds for the attempt it was given for, and not for that of a sender that takes over.
SELECT seq, by_word FROM (
    SELECT * FROM (
        SELECT seq, by_word, due_ms AS at FROM outbox
        WHERE namespace = ?1 AND destination = ?2 AND state = 'pending' AND behind = 0 AND due_ms <= ?3
        ORDER BY due_ms, seq LIMIT ?4
    )
    UNION ALL
    SELECT * FROM (
        SELECT seq, 0 AS by_word, lease_until_ms AS at FROM outbox
        WHERE namespace = ?1 AND destination = ?2 AND state = 'sending' AND lease_until_ms <= ?3
          AND row_id NOT IN (SELECT unhex(value) FROM json_each(?5))
        ORDER BY lease_until_ms, seq LIMIT ?4
    )
)
ORDER BY at, seq
LIMIT ?4
