-- The row that says the same to the same recipient: on its way, or sent within the time. One that was stopped and may
-- have been applied all the same counts as sent.
SELECT row_id FROM outbox
WHERE namespace = ?1 AND destination = ?2 AND same_key = ?3 AND row_id <> ?4
  AND (state = 'held' OR state = 'pending' OR state = 'sending' OR state = 'sent' OR state = 'blocked'
       OR state = 'in-doubt' OR state = 'cancelled')
  AND (state NOT IN ('sent', 'cancelled') OR updated_ms > ?5)
  AND (state <> 'cancelled' OR maybe_applied = 1)
ORDER BY seq
LIMIT 1
