SELECT EXISTS (
    SELECT 1 FROM outbox
    WHERE namespace = ?1 AND destination = ?2 AND state = 'sending' AND lease_until_ms > ?3)
