-- A suppressed row stands as the one that suppresses it: where that one ends unsent, it takes its turn. A row that was sent
-- is kept as long as it suppresses others.
SELECT coalesce(s.state, o.state) AS state, max(o.updated_ms) AS updated_ms,
       max(CASE WHEN o.state = 'sent' THEN o.updated_ms + o.same_within_ms END) AS kept_until_ms
FROM work w JOIN outbox o ON o.work_seq = w.seq
LEFT JOIN outbox s ON o.state = 'suppressed' AND s.namespace = o.namespace AND s.row_id = o.suppressed_by
WHERE w.namespace = ?1 AND w.root_key = ?2
GROUP BY 1
