SELECT free_at_us, failures, failed_ms, rests_until_ms, breaker FROM destination_pace
WHERE namespace = ?1 AND destination = ?2
