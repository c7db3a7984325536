-- The first pin stands; one that a person had renewed takes the answer to its own revision.
INSERT INTO decision_pin (namespace, work_id, slot, revision, cache_key, origin, created_ms)
VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)
ON CONFLICT DO UPDATE SET cache_key = excluded.cache_key, origin = excluded.origin
WHERE decision_pin.cache_key IS NULL AND decision_pin.revision = excluded.revision
