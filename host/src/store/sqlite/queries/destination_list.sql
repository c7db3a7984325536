SELECT destination, cause, paused_ms FROM destination_pause WHERE namespace = ?1 ORDER BY destination
