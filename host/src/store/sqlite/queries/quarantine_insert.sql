INSERT INTO quarantine (namespace, work_id, root_key, collides_with, step, version, readable_key, source, event_id,
                        occurred_at_ms, content_hash, payload, state, created_ms, updated_ms, timed, window_ms,
                        window_marker)
VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, 'waiting', ?13, ?13, ?14, ?15, ?16)
