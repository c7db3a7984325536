-- The work that goes on from a row's receipt descends from the row's own work. It may exist already: then it stands. It is
-- remembered as long as the row's own work.
INSERT INTO work (namespace, work_id, root_key, root_version, step, version, readable_key, source, event_id,
                  occurred_at_ms, content_hash, payload, chain_depth, from_row, state, attempt, due_ms, cause,
                  created_ms, updated_ms, timed, window_ms, window_marker)
SELECT namespace, ?3, root_key, root_version, ?4, ?5, ?6, source, event_id,
       occurred_at_ms, ?7, ?8, chain_depth + 1, ?9, CASE WHEN ?10 IS NULL THEN 'waiting' ELSE 'review' END, 0,
       CASE WHEN ?10 IS NULL THEN ?11 END, ?10, ?11, ?11, timed, window_ms, window_marker
FROM work WHERE namespace = ?1 AND work_id = ?2
ON CONFLICT DO NOTHING
