UPDATE work SET duplicates = duplicates + 1, updated_ms = ?2 WHERE seq = ?1
