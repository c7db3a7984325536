-- A paused destination has nothing due.
SELECT min(at) FROM (
    SELECT min(due_ms) AS at FROM outbox WHERE namespace = ?1 AND destination = ?2 AND state = 'pending'
    UNION ALL
    SELECT min(lease_until_ms) FROM outbox WHERE namespace = ?1 AND destination = ?2 AND state = 'sending'
)
WHERE NOT EXISTS (SELECT 1 FROM destination_pause WHERE namespace = ?1 AND destination = ?2)
