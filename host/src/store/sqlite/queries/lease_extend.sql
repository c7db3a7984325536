-- Under the fence, and never shorter.
UPDATE work
SET lease_until_ms = max(lease_until_ms, ?4), updated_ms = ?5
WHERE namespace = ?1 AND work_id = ?2 AND state = 'running' AND token = ?3 AND holder = ?6
RETURNING lease_until_ms
