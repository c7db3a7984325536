-- The takeover: conditional on what was read. The time budget begins with the first attempt. What an outside caller had
-- begun and not recorded is never taken over.
UPDATE work
SET state = 'running', attempt = attempt + 1, token = ?2, lease_until_ms = ?3, due_ms = NULL,
    budget_from_ms = CASE WHEN attempt = 0 THEN ?4 ELSE budget_from_ms END, updated_ms = ?4
WHERE seq = ?1
  AND ((state = 'waiting' AND due_ms <= ?4) OR (state = 'running' AND lease_until_ms <= ?4))
  AND NOT (state = 'running' AND EXISTS (
      SELECT 1 FROM intent
      WHERE intent.namespace = work.namespace AND intent.work_id = work.work_id AND intent.token = work.token
        AND intent.state = 'open'))
  AND attempt < ?5 AND (attempt = 0 OR ?4 - budget_from_ms <= ?6)
