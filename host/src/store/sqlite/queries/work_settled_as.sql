SELECT EXISTS (SELECT 1 FROM work WHERE namespace = ?1 AND work_id = ?2 AND settled_as = ?3)
