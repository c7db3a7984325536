UPDATE work SET payload = ?3, output = CASE WHEN output IS NULL THEN NULL ELSE ?3 END, cursor = NULL, erased_ms = ?4
WHERE namespace = ?1 AND root_key = ?2 AND erased_ms IS NULL
