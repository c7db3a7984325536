-- The cause, where the thing itself, its namespace or everything is stopped.
SELECT cause FROM pause
WHERE lifted_ms IS NULL
  AND ((namespace = ?1 AND scope = ?2 AND name = ?3) OR (namespace = ?1 AND scope = 'namespace') OR namespace = '')
ORDER BY seq
LIMIT 1
