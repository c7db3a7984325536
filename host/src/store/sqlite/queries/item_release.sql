DELETE FROM item
WHERE namespace = ?1 AND step = (SELECT step FROM work WHERE namespace = ?1 AND work_id = ?2)
  AND item_key = ?3 AND token = ?4 AND done = 0
