-- By readable key, for people; not indexed, so that recording work does not pay for it.
SELECT work_id FROM work
WHERE namespace = ?1 AND readable_key = ?2
ORDER BY seq DESC
LIMIT 20
