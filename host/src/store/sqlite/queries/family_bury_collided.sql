-- An event that collided may have another time, or none: the key tells that neither is new.
INSERT INTO tombstone (namespace, root_key, expired_ms)
SELECT namespace, collides_with, ?3 FROM quarantine WHERE namespace = ?1 AND collides_with = ?2
ON CONFLICT DO NOTHING
