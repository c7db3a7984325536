SELECT payload_hash FROM outbox WHERE namespace = ?1 AND row_id = ?2
