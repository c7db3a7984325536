-- A run is not torn out of its holder's hands: it is cancelled at its settle, or where its lease ends without one.
UPDATE work SET cancel_cause = ?3
WHERE namespace = ?1 AND work_id = ?2 AND state = 'running' AND holder = 'host' AND cancel_cause IS NULL
  AND lease_until_ms > ?4
