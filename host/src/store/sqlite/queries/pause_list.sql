SELECT scope, name, cause, paused_by, paused_ms FROM pause
WHERE namespace IN (?1, '') AND lifted_ms IS NULL
ORDER BY seq
