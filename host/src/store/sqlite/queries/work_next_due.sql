-- A paused step has nothing due.
SELECT min(at) FROM (
    SELECT min(due_ms) AS at FROM work
    WHERE namespace = ?1 AND step = ?2 AND state = 'waiting' AND holder = 'host'
    UNION ALL
    SELECT min(lease_until_ms) FROM work
    WHERE namespace = ?1 AND step = ?2 AND state = 'running' AND holder = 'host'
)
WHERE NOT EXISTS (
    SELECT 1 FROM pause
    WHERE lifted_ms IS NULL
      AND ((namespace = ?1 AND scope = 'step' AND name = ?2) OR (namespace = ?1 AND scope = 'namespace')
           OR namespace = ''))
