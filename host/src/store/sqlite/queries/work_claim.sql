-- The takeover: conditional on what was read.
UPDATE work
SET state = 'running', attempt = attempt + 1, token = ?2, lease_until_ms = ?3, due_ms = NULL, updated_ms = ?4
WHERE seq = ?1
  AND ((state = 'waiting' AND due_ms <= ?4) OR (state = 'running' AND lease_until_ms <= ?4))
  AND attempt < ?5
