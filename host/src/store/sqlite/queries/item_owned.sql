-- Whether the item is, or was last, this claim's.
SELECT done, external_reference FROM item
WHERE namespace = ?1 AND step = ?2 AND item_key = ?3 AND work_id = ?4 AND token = ?5
