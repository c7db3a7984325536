-- New work, already claimed: event, work and claim are one row in one transaction.
INSERT INTO work (namespace, work_id, root_key, root_version, step, version, readable_key, holder, source, event_id,
                  occurred_at_ms, content_hash, payload, state, attempt, budget_from_ms, token, lease_until_ms,
                  created_ms, updated_ms, timed, window_ms, window_marker, forget_after_ms)
VALUES (?1, ?2, ?3, ?4, ?5, ?4, ?6, ?15, ?7, ?8, ?9, ?10, ?11, 'running', 1, ?14, ?12, ?13, ?14, ?14,
        ?16, ?17, ?18, ?19)
RETURNING seq
