-- New work with an identity of its own; the first content's work is left alone.
INSERT INTO work (namespace, work_id, root_key, root_version, step, version, readable_key, source, event_id,
                  occurred_at_ms, content_hash, payload, state, attempt, due_ms, created_ms, updated_ms)
SELECT namespace, work_id, root_key, version, step, version, readable_key, source, event_id,
       occurred_at_ms, content_hash, payload, 'waiting', 0, ?3, ?3, ?3
FROM quarantine WHERE namespace = ?1 AND work_id = ?2
