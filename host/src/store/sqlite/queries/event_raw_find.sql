-- The event that a work descends from, or that is kept under this id.
SELECT content_type, headers, body FROM event_raw
WHERE namespace = ?1 AND work_id IN (
    SELECT ?2
    UNION ALL
    SELECT root.work_id FROM work w JOIN work root ON root.namespace = w.namespace AND root.root_key = w.root_key
    WHERE w.namespace = ?1 AND w.work_id = ?2)
ORDER BY seq
LIMIT 1
