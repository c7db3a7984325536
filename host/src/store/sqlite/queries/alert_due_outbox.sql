SELECT o.row_id, o.work_id, o.destination, o.slot, o.state, o.attempt, o.cause, o.updated_ms
FROM alert_due a JOIN outbox o ON o.namespace = a.namespace AND o.row_id = a.id
WHERE a.namespace = ?1 AND a.noun = 'outbox'
LIMIT ?2
