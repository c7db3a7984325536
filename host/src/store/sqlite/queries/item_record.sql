UPDATE item SET done = 1, external_reference = ?6, updated_ms = ?7
WHERE namespace = ?1 AND step = ?2 AND item_key = ?3 AND work_id = ?4 AND token = ?5 AND done = 0
