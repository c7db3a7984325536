SELECT state FROM quarantine WHERE namespace = ?1 AND work_id = ?2
