-- When the first row is due, and when it may go: a paused destination has nothing due, one that wants to be left alone is not
-- called before it is free again, and one that rests not before it has rested and nothing is under way to it.
SELECT min(at) AS row_ms,
       max(min(at), coalesce((
           SELECT max(free_at_us / 1000 + (free_at_us % 1000 > 0),
                      CASE WHEN rests_until_ms IS NULL THEN 0 ELSE max(rests_until_ms, coalesce((
                          SELECT max(lease_until_ms) FROM outbox
                          WHERE namespace = ?1 AND destination = ?2 AND state = 'sending'), 0)) END)
           FROM destination_pace WHERE namespace = ?1 AND destination = ?2), 0)) AS at_ms,
       EXISTS (SELECT 1 FROM destination_pace
               WHERE namespace = ?1 AND destination = ?2 AND rests_until_ms IS NOT NULL) AS resting
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
