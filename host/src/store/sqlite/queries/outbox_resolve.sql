SELECT namespace, row_id, work_id, destination, slot, payload, state, attempt, maybe_applied, due_ms, cause, receipt,
       external_reference, created_ms, updated_ms
FROM outbox
WHERE namespace = ?1 AND row_id BETWEEN ?2 AND ?3
ORDER BY seq DESC
LIMIT 20
