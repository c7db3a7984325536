-- A work whose last holder went away. What an outside caller was about to do may have happened: that is in doubt instead.
UPDATE work SET state = 'cancelled', cause = ?4, lease_until_ms = NULL, updated_ms = ?3
WHERE namespace = ?1 AND work_id = ?2 AND state = 'running' AND lease_until_ms <= ?3
  AND (holder = 'host' OR NOT EXISTS (
      SELECT 1 FROM intent
      WHERE intent.namespace = work.namespace AND intent.work_id = work.work_id AND intent.state = 'open'))
