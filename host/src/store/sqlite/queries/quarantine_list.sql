SELECT work_id, collides_with, step, version, readable_key, source, event_id, occurred_at_ms, content_hash, payload,
       state, repeats, decided_by, created_ms, updated_ms
FROM quarantine
WHERE namespace = ?1 AND (?2 IS NULL OR state = ?2)
ORDER BY seq DESC
LIMIT ?3
