UPDATE work SET state = 'cancelled', cause = cancel_cause, lease_until_ms = NULL, updated_ms = ?2
WHERE seq = ?1 AND state = 'running' AND lease_until_ms <= ?2 AND cancel_cause IS NOT NULL
RETURNING cause
