-- An effect has happened under a claim that had ended. Unfinished work stops here, whoever holds it meanwhile.
UPDATE work
SET state = 'in-doubt', cause = ?3, lease_until_ms = NULL, due_ms = NULL, updated_ms = ?4
WHERE namespace = ?1 AND work_id = ?2 AND state <> 'done' AND state <> 'rejected' AND state <> 'cancelled'
