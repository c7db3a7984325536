-- Under the fence. The same place again is no progress, and changes nothing.
UPDATE work
SET cursor = ?4, attempt = 1, budget_from_ms = ?5, chunk = chunk + 1, updated_ms = ?5
WHERE namespace = ?1 AND work_id = ?2 AND state = 'running' AND token = ?3 AND holder = 'caller' AND cursor IS NOT ?4
