SELECT namespace, work_id, root_key, root_version, readable_key, step, version, source, event_id, occurred_at_ms,
       payload, state, attempt, duplicates, due_ms, lease_until_ms, cursor, output, needs_review, cause,
       chain_depth, created_ms, updated_ms
FROM work
WHERE namespace = ?1 AND (?2 IS NULL OR state = ?2) AND (?3 IS NULL OR step = ?3)
ORDER BY seq DESC
LIMIT ?4
