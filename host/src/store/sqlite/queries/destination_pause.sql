INSERT INTO destination_pause (namespace, destination, cause, paused_ms) VALUES (?1, ?2, ?3, ?4) ON CONFLICT DO NOTHING
