SELECT seq, created_ms, EXISTS (SELECT 1 FROM decision_pin p WHERE p.answer_seq = d.seq)
       OR EXISTS (SELECT 1 FROM decision_former f WHERE f.answer_seq = d.seq) AS pinned
FROM decision d
WHERE namespace = ?1 AND created_ms < ?2 AND (created_ms, seq) > (?3, ?4)
ORDER BY created_ms, seq
LIMIT ?5
