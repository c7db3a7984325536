-- Rows whose sender has gone: it may have sent. Those whose budget or retention is used up are not sent again.
UPDATE outbox
SET state = CASE WHEN ?3 - first_attempt_ms > ?5 THEN 'in-doubt' ELSE 'blocked' END,
    cause = CASE WHEN ?3 - first_attempt_ms > ?5
                 THEN 'the sender went away during attempt ' || attempt || ', and the destination can no longer tell a repeat'
                 ELSE 'attempts used up: the sender went away during attempt ' || attempt END,
    maybe_applied = 1, lease_until_ms = NULL, updated_ms = ?3
WHERE namespace = ?1 AND destination = ?2 AND state = 'sending' AND lease_until_ms <= ?3
  AND (attempt >= ?4 OR ?3 - first_attempt_ms > ?5)
RETURNING row_id, work_id, state, cause
