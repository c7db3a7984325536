SELECT name, set_ms, set_by FROM marker WHERE namespace = ?1 ORDER BY name
