INSERT INTO destination_pace (namespace, destination, failures, failed_ms, rests_until_ms) VALUES (?1, ?2, ?3, ?4, ?5)
ON CONFLICT (namespace, destination) DO UPDATE
SET failures = excluded.failures, failed_ms = excluded.failed_ms, rests_until_ms = excluded.rests_until_ms
