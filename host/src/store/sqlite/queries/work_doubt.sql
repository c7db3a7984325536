-- The lease has ended and the caller's effect is open: nobody here can know. Conditional, as a takeover is.
UPDATE work
SET state = 'in-doubt', cause = ?2, lease_until_ms = NULL, updated_ms = ?3
WHERE seq = ?1 AND state = 'running' AND lease_until_ms <= ?3
  AND EXISTS (
      SELECT 1 FROM intent
      WHERE intent.namespace = work.namespace AND intent.work_id = work.work_id AND intent.token = work.token
        AND intent.state = 'open')
