SELECT namespace, work_id, root_key, root_version, readable_key, step, version, holder, source, event_id,
       occurred_at_ms, payload, state, attempt, budget_from_ms, chunk, duplicates, due_ms, lease_until_ms, cursor, output, needs_review, cause,
       chain_depth, erased_ms, created_ms, updated_ms
FROM work
WHERE +namespace = ?1 AND (?2 IS NULL OR step = ?2) AND state = 'done'
  AND seq < CASE WHEN ?4 IS NULL THEN 9223372036854775807
      ELSE (SELECT seq FROM work WHERE namespace = ?1 AND work_id = ?4) END
ORDER BY seq DESC
LIMIT ?3
