INSERT INTO evidence (namespace, work_id, at_ms, kind, detail)
SELECT namespace, work_id, ?1, 'restored', state || ' to in-doubt: ' || ?2 FROM work
WHERE state IN ('waiting', 'running')
ORDER BY seq
