-- The head of a line lets a row go first that comes back to a place before it, unless the head has been begun.
UPDATE outbox SET behind = 1
WHERE seq = (
    SELECT h.seq FROM outbox r
    JOIN outbox h ON h.namespace = r.namespace AND h.destination = r.destination AND h.ordering_key = r.ordering_key
    WHERE r.namespace = ?1 AND r.row_id = ?2 AND h.place > r.place AND h.token IS NULL AND h.behind = 0
      AND (h.state = 'held' OR h.state = 'pending' OR h.state = 'sending' OR h.state = 'blocked'
           OR h.state = 'in-doubt'))
