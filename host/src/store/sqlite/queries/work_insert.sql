-- New work: event, work and claim are one row in one transaction. Without a token nobody holds it, and it is due.
INSERT INTO work (namespace, work_id, root_key, root_version, step, version, readable_key, holder, source, event_id,
                  occurred_at_ms, content_hash, payload, state, attempt, budget_from_ms, token, lease_until_ms, due_ms,
                  created_ms, updated_ms, timed, window_ms, window_marker, forget_after_ms)
VALUES (?1, ?2, ?3, ?4, ?5, ?4, ?6, ?15, ?7, ?8, ?9, ?10, ?11,
        CASE WHEN ?12 IS NULL THEN 'waiting' ELSE 'running' END, ?12 IS NOT NULL,
        CASE WHEN ?12 IS NOT NULL THEN ?14 END, ?12, ?13, CASE WHEN ?12 IS NULL THEN ?14 END,
        ?14, ?14, ?16, ?17, ?18, ?19)
