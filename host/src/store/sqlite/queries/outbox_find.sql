-- The payload that a step enqueued first stands, and the slot's live revision is what became of it.
SELECT f.payload_hash, l.row_id AS live, l.state
FROM outbox f JOIN outbox l ON l.namespace = f.namespace AND l.base_id = f.row_id AND l.state <> 'superseded'
WHERE f.namespace = ?1 AND f.row_id = ?2
