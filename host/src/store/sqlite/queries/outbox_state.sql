SELECT state FROM outbox WHERE namespace = ?1 AND row_id = ?2
