SELECT namespace, row_id, work_id, destination, slot, payload, state, attempt, maybe_applied, due_ms, cause, receipt,
       external_reference, created_ms, updated_ms
FROM outbox
WHERE +namespace = ?1 AND state = 'sent'
ORDER BY seq DESC
LIMIT ?2
