SELECT work_id FROM work
WHERE namespace = ?1 AND work_id BETWEEN ?2 AND ?3
ORDER BY seq DESC
LIMIT 20
