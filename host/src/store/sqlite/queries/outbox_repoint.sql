UPDATE outbox SET suppressed_by = ?3, updated_ms = ?4
WHERE namespace = ?1 AND suppressed_by = ?2 AND state = 'suppressed'
