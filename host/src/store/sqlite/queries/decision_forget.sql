DELETE FROM decision WHERE namespace = ?1 AND cache_key = ?2
