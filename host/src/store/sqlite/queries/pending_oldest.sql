-- Since when the oldest work and the oldest row wait. `<>` says that the indexes of what is open hold them all: everything else
-- that a namespace has would be sorted.
SELECT min(created_ms) FROM (
    SELECT created_ms FROM (
        SELECT created_ms FROM work WHERE namespace = ?1 AND state = 'waiting' AND state <> 'done' ORDER BY seq LIMIT 1)
    UNION ALL
    SELECT created_ms FROM (
        SELECT created_ms FROM outbox WHERE namespace = ?1 AND state = 'pending' AND state <> 'sent' ORDER BY seq LIMIT 1)
)
