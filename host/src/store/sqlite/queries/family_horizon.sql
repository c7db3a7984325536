INSERT INTO horizon (namespace, step, until_ms) VALUES (?1, ?2, ?3)
ON CONFLICT DO UPDATE SET until_ms = max(until_ms, excluded.until_ms)
