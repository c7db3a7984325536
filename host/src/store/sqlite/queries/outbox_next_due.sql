-- A paused destination has nothing due, and a paced one not before it is free again.
SELECT max(min(at), coalesce((SELECT (free_at_us + 999) / 1000 FROM destination_pace
                              WHERE namespace = ?1 AND destination = ?2), 0))
FROM (
    SELECT min(due_ms) AS at FROM outbox
    WHERE namespace = ?1 AND destination = ?2 AND state = 'pending' AND behind = 0
    UNION ALL
    SELECT min(lease_until_ms) FROM outbox WHERE namespace = ?1 AND destination = ?2 AND state = 'sending'
)
WHERE NOT EXISTS (
    SELECT 1 FROM pause
    WHERE lifted_ms IS NULL
      AND ((namespace = ?1 AND scope = 'destination' AND name = ?2) OR (namespace = ?1 AND scope = 'namespace')
           OR namespace = ''))
HAVING count(at) > 0
