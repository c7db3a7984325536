UPDATE work SET duplicates = duplicates + ?2 WHERE seq = ?1 AND work_id = ?3
