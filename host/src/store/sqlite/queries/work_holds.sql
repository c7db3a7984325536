SELECT EXISTS (SELECT 1 FROM work WHERE namespace = ?1 AND work_id = ?2 AND state = 'running' AND token = ?3)
