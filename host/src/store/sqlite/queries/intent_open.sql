INSERT INTO intent (namespace, work_id, slot, token, opened_ms, state)
VALUES (?1, ?2, ?3, ?4, ?5, 'open')
ON CONFLICT DO NOTHING
