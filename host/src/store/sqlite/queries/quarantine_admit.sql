-- New work with an identity of its own; the first content's work is left alone. It can't be forgotten before its window has
-- passed; a sum beyond 64 bits would be no integer.
INSERT INTO work (namespace, work_id, root_key, root_version, step, version, readable_key, source, event_id,
                  occurred_at_ms, content_hash, payload, state, attempt, due_ms, created_ms, updated_ms,
                  timed, window_ms, window_marker, forget_after_ms)
SELECT namespace, work_id, root_key, version, step, version, readable_key, source, event_id,
       occurred_at_ms, content_hash, payload, 'waiting', 0, ?3, ?3, ?3, timed, window_ms, window_marker,
       CASE WHEN window_ms IS NOT NULL OR window_marker IS NOT NULL
            THEN max(occurred_at_ms, ?3) + min(coalesce(window_ms, 0), 1 << 61) END
FROM quarantine WHERE namespace = ?1 AND work_id = ?2
