-- The payload that a step enqueued first stands, and the slot's live revision is what became of it.
SELECT f.payload_hash, coalesce(l.row_id, f.row_id) AS live, coalesce(l.state, f.state) AS state
FROM outbox f LEFT JOIN outbox l
    ON l.namespace = f.namespace AND l.base_id = f.row_id AND l.revision > 1 AND l.state <> 'superseded'
WHERE f.namespace = ?1 AND f.row_id = ?2 AND f.revision = 1
