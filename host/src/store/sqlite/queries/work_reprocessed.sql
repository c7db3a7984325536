-- The newest work of this root and step that stands for the event.
SELECT work_id, root_version FROM work
WHERE namespace = ?1 AND root_key = ?2 AND step = ?3 AND from_row IS NULL
ORDER BY root_version DESC, version DESC
LIMIT 1
