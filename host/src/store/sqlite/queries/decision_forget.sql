DELETE FROM decision WHERE seq = ?1
