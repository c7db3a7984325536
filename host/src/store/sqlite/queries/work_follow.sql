-- The next step's work descends from the one that settles. It may exist already: then it stands as it is.
INSERT INTO work (namespace, work_id, root_key, root_version, step, version, readable_key, source, event_id,
                  occurred_at_ms, content_hash, payload, chain_depth, state, attempt, due_ms, created_ms, updated_ms,
                  timed, window_ms, window_marker)
SELECT namespace, ?3, root_key, root_version, ?4, ?5, ?6, source, event_id,
       occurred_at_ms, ?7, ?8, chain_depth + 1, 'waiting', 0, ?9, ?9, ?9,
       timed, ?10, ?11
FROM work WHERE namespace = ?1 AND work_id = ?2
ON CONFLICT DO NOTHING
