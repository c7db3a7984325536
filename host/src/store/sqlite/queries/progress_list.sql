-- Handoffs that stand in a stage, the one that stands longest first. One is over where its newest work was rejected or
-- cancelled: it will reach no other stage.
SELECT * FROM (
    SELECT p.root_key, p.stage, p.reached_ms, w.work_id, w.readable_key,
           (SELECT l.state FROM work l WHERE l.namespace = p.namespace AND l.root_key = p.root_key
            ORDER BY l.seq DESC LIMIT 1) IN ('rejected', 'cancelled') AS over
    FROM progress p
    JOIN work w ON w.seq = (SELECT min(f.seq) FROM work f WHERE f.namespace = p.namespace AND f.root_key = p.root_key)
    WHERE p.namespace = ?1 AND p.stage = ?2 AND p.reached_ms <= ?3
    ORDER BY p.reached_ms
)
WHERE NOT (?4 AND over)
LIMIT ?5
