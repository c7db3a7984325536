SELECT work_id, collides_with, step, version, readable_key, source, event_id, occurred_at_ms, content_hash, payload,
       state, repeats, decided_by, created_ms, updated_ms
FROM quarantine
WHERE namespace = ?1 AND work_id BETWEEN ?2 AND ?3
ORDER BY seq DESC
LIMIT 20
