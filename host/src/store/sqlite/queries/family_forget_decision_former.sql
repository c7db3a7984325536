DELETE FROM decision_former
WHERE namespace = ?1 AND work_id IN (SELECT work_id FROM work WHERE namespace = ?1 AND root_key = ?2)
