-- A work whose last holder went away.
UPDATE work SET state = 'cancelled', cause = ?4, lease_until_ms = NULL, updated_ms = ?3
WHERE namespace = ?1 AND work_id = ?2 AND state = 'running' AND holder = 'host' AND lease_until_ms <= ?3
