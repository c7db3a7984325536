-- One process owns the file, so a lease found at the start belongs to a run that ended with the last process.
UPDATE work SET lease_until_ms = min(lease_until_ms, ?1) WHERE state = 'running'
