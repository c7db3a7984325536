-- Those of a family, and of events that collided with it and were dropped. One that was admitted is its own family's.
DELETE FROM event_raw
WHERE namespace = ?1 AND work_id IN (
    SELECT work_id FROM work WHERE namespace = ?1 AND root_key = ?2
    UNION ALL
    SELECT work_id FROM quarantine WHERE namespace = ?1 AND collides_with = ?2 AND state = 'dropped')
