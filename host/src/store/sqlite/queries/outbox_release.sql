-- It goes back to its place in its ordering key's line, behind the head where there is one.
UPDATE outbox
SET state = ?3, suppressed_by = NULL, due_ms = CASE WHEN ?3 = 'pending' THEN ?4 END, cause = ?5, updated_ms = ?4,
    behind = EXISTS (SELECT 1 FROM outbox h
                     WHERE h.namespace = outbox.namespace AND h.destination = outbox.destination
                       AND h.ordering_key = outbox.ordering_key AND h.behind = 0
                       AND (h.state = 'held' OR h.state = 'pending' OR h.state = 'sending'
                            OR h.state = 'blocked' OR h.state = 'in-doubt'))
WHERE namespace = ?1 AND row_id = ?2 AND state = 'suppressed'
