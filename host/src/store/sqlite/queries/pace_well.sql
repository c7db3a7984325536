UPDATE destination_pace SET failures = 0, failed_ms = NULL, rests_until_ms = NULL
WHERE namespace = ?1 AND destination = ?2 AND failures > 0
