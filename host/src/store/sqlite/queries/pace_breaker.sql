INSERT INTO destination_pace (namespace, destination, breaker) VALUES (?1, ?2, ?3)
ON CONFLICT (namespace, destination) DO UPDATE SET breaker = excluded.breaker, rests_until_ms = ?4
