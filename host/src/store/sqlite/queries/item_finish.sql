UPDATE item SET done = 1, external_reference = ?5, updated_ms = ?6
WHERE namespace = ?1 AND step = (SELECT step FROM work WHERE namespace = ?1 AND work_id = ?2)
  AND item_key = ?3 AND work_id = ?2 AND token = ?4 AND done = 0
