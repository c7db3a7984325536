INSERT INTO contract (namespace, step, version, contract) VALUES (?1, ?2, ?3, ?4) ON CONFLICT DO NOTHING
