INSERT INTO evidence (namespace, work_id, at_ms, kind, detail)
SELECT namespace, work_id, ?1, 'restored', 'row ' || lower(hex(row_id)) || ' from ' || state || ' to in-doubt: ' || ?2
FROM outbox
WHERE state IN ('held', 'pending', 'sending', 'blocked', 'in-doubt')
ORDER BY seq
