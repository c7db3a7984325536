-- The newest work of this root and step.
SELECT work_id, root_version FROM work
WHERE namespace = ?1 AND root_key = ?2 AND step = ?3
ORDER BY root_version DESC, version DESC
LIMIT 1
