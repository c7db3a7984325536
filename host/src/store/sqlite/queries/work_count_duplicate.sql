UPDATE work SET duplicates = duplicates + 1 WHERE seq = ?1
