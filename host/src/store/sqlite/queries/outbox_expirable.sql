-- The store's time never goes back, also where the clock does.
SELECT EXISTS (
    SELECT 1 FROM outbox
    WHERE namespace = ?1 AND state = 'held' AND approval_until_ms IS NOT NULL
      AND approval_until_ms <= max(?2, (SELECT now_ms FROM sequence)))
