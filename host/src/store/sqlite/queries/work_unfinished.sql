SELECT work_id, state FROM work
WHERE namespace = ?1 AND root_key = ?2 AND root_version = ?3
  AND state <> 'done' AND state <> 'rejected' AND state <> 'cancelled'
ORDER BY seq
LIMIT 1
