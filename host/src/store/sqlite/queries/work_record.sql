-- New work that nobody may run yet: its step is paused.
INSERT INTO work (namespace, work_id, root_key, root_version, step, version, readable_key, source, event_id,
                  occurred_at_ms, content_hash, payload, state, attempt, due_ms, holder, created_ms, updated_ms,
                  timed, window_ms, window_marker, forget_after_ms)
VALUES (?1, ?2, ?3, ?4, ?5, ?4, ?6, ?7, ?8, ?9, ?10, ?11, 'waiting', 0, ?12, ?13, ?12, ?12, ?14, ?15, ?16, ?17)
