DELETE FROM progress WHERE namespace = ?1 AND root_key = ?2
