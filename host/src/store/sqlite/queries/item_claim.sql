INSERT INTO item (namespace, step, item_key, work_id, token, updated_ms) VALUES (?1, ?2, ?3, ?4, ?5, ?6)
ON CONFLICT (namespace, step, item_key) DO UPDATE
SET work_id = excluded.work_id, token = excluded.token, updated_ms = excluded.updated_ms
WHERE item.done = 0
