SELECT p.stage FROM work w JOIN progress p ON p.namespace = w.namespace AND p.root_key = w.root_key
WHERE w.namespace = ?1 AND w.work_id = ?2
