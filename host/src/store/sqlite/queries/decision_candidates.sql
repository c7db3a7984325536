SELECT rowid, created_ms, cache_key,
       EXISTS (SELECT 1 FROM decision_pin p WHERE p.namespace = d.namespace AND p.cache_key = d.cache_key) AS pinned
FROM decision d
WHERE namespace = ?1 AND created_ms < ?2 AND (created_ms, rowid) > (?3, ?4)
ORDER BY created_ms, rowid
LIMIT ?5
