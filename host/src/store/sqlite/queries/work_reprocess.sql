-- New work beside the old one: the same root, so that its effects keep their ids, under the step's present version.
INSERT INTO work (namespace, work_id, root_key, root_version, step, version, readable_key, source, event_id,
                  occurred_at_ms, content_hash, payload, state, attempt, due_ms, created_ms, updated_ms,
                  timed, window_ms, window_marker, forget_after_ms)
SELECT namespace, ?3, root_key, ?4, step, ?4, ?5, source, event_id,
       occurred_at_ms, ?6, payload, 'waiting', 0, ?7, ?7, ?7, timed, window_ms, window_marker, forget_after_ms
FROM work WHERE namespace = ?1 AND work_id = ?2
