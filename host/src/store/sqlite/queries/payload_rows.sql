-- A suppressed row stands as the one that suppresses it: where that one ends unsent, it takes its turn.
SELECT o.row_id, coalesce(s.state, o.state) AS state
FROM work w JOIN outbox o ON o.work_seq = w.seq
LEFT JOIN outbox s ON o.state = 'suppressed' AND s.namespace = o.namespace AND s.row_id = o.suppressed_by
WHERE w.namespace = ?1 AND w.root_key = ?2
ORDER BY o.seq
