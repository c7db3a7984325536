SELECT name, set_ms FROM marker WHERE namespace = ?1 ORDER BY name
