-- The row that says the same to the same recipient: on its way, or sent within the time.
SELECT row_id FROM outbox
WHERE namespace = ?1 AND destination = ?2 AND same_key = ?3 AND row_id <> ?4
  AND state IN ('held', 'pending', 'sending', 'sent', 'blocked', 'in-doubt')
  AND (state <> 'sent' OR updated_ms > ?5)
ORDER BY seq
LIMIT 1
