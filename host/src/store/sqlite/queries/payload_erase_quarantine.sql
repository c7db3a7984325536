-- The event that was admitted as this family, and those that collided with it and were dropped.
UPDATE quarantine SET payload = ?3
WHERE namespace = ?1 AND payload <> ?3
  AND ((collides_with = ?2 AND state = 'dropped')
       OR work_id IN (SELECT work_id FROM work WHERE namespace = ?1 AND root_key = ?2))
