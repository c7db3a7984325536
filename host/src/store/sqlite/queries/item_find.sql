-- An item's claim lives exactly as long as the run that made it.
SELECT i.done, i.external_reference,
       EXISTS (SELECT 1 FROM work w WHERE w.namespace = i.namespace AND w.work_id = i.work_id
               AND w.state = 'running' AND w.token = i.token) AS held
FROM item i WHERE i.namespace = ?1 AND i.step = ?2 AND i.item_key = ?3
