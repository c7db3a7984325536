DELETE FROM destination_pause WHERE namespace = ?1 AND destination = ?2
