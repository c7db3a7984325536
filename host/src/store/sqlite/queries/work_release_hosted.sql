-- One process owns the file, so a lease of a hosted run found at the start belongs to a process that has ended. An
-- outside caller goes on whatever becomes of this process.
UPDATE work SET lease_until_ms = min(lease_until_ms, ?1) WHERE state = 'running' AND holder = 'host'
