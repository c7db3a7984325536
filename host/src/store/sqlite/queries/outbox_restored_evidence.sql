INSERT INTO evidence (work_seq, at_ms, kind, detail)
SELECT work_seq, ?1, 'restored', 'row ' || lower(hex(row_id)) || ' from ' || state || ' to in-doubt: ' || ?2
FROM outbox
WHERE (state = 'held' OR state = 'pending' OR state = 'sending' OR state = 'blocked' OR state = 'in-doubt')
ORDER BY seq
