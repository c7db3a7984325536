INSERT INTO evidence (work_seq, at_ms, kind, detail)
SELECT seq, ?1, 'restored', state || ' to in-doubt: ' || ?2 FROM work
WHERE state IN ('waiting', 'running')
ORDER BY seq
