SELECT work_id FROM work
WHERE namespace = ?1 AND (hex(work_id) LIKE upper(?2) || '%' OR readable_key = ?3)
ORDER BY seq DESC
LIMIT 20
