UPDATE outbox
SET maybe_applied = CASE WHEN state = 'sending' THEN 1 ELSE maybe_applied END,
    state = 'sending', attempt = attempt + 1, token = ?2, lease_until_ms = ?3, due_ms = NULL,
    envelope = coalesce(envelope, ?4), patient = ?6, by_word = 0, first_attempt_ms = coalesce(first_attempt_ms, ?5), updated_ms = ?5
WHERE seq = ?1
RETURNING row_id, work_id, slot, payload, envelope, attempt, maybe_applied, first_attempt_ms
