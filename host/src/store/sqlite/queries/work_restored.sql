-- What was under way in the copy may have come to its end since, with effects that the copy does not know.
UPDATE work SET state = 'in-doubt', cause = ?2, lease_until_ms = NULL, due_ms = NULL, updated_ms = ?1
WHERE state IN ('waiting', 'running')
