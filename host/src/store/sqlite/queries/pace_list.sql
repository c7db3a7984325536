SELECT destination, free_at_us / 1000 + (free_at_us % 1000 > 0) AS free_at_ms, failures, failed_ms, rests_until_ms
FROM destination_pace
WHERE namespace = ?1
ORDER BY destination
