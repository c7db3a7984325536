INSERT INTO destination_pace (namespace, destination, free_at_us) VALUES (?1, ?2, ?3)
ON CONFLICT (namespace, destination) DO UPDATE SET free_at_us = max(free_at_us, excluded.free_at_us)
