SELECT EXISTS (
    SELECT 1 FROM action WHERE namespace = ?1 AND done_ms < max(?2, (SELECT now_ms FROM sequence)) - ?3)
