INSERT INTO action (namespace, action_id, fingerprint, outcome, done_ms) VALUES (?1, ?2, ?3, ?4, ?5)
