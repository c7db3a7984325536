SELECT state FROM work WHERE namespace = ?1 AND work_id = ?2
