SELECT w.work_id, w.readable_key, w.step, w.state, w.attempt, w.cause, w.updated_ms
FROM alert_due a JOIN work w ON w.namespace = a.namespace AND w.work_id = a.id
WHERE a.namespace = ?1 AND a.noun = 'work'
LIMIT ?2
