SELECT namespace, row_id, work_id, destination, slot, payload, state, attempt, maybe_applied, due_ms, cause, receipt,
       external_reference, created_ms, updated_ms
FROM outbox
WHERE namespace = ?1 AND (?2 IS NULL OR state = ?2) AND (?3 IS NULL OR work_id = ?3)
ORDER BY seq DESC
LIMIT ?4
