-- Attempts are counted before they are made, so a work whose last holder went away dies here.
UPDATE work
SET state = 'dead', cause = ?2, lease_until_ms = NULL, due_ms = NULL, updated_ms = ?3
WHERE seq = ?1
  AND ((state = 'waiting' AND due_ms <= ?3) OR (state = 'running' AND lease_until_ms <= ?3))
