SELECT free_at_us FROM destination_pace WHERE namespace = ?1 AND destination = ?2
