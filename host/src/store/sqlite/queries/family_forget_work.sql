DELETE FROM work WHERE namespace = ?1 AND root_key = ?2
