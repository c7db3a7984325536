-- Those of one claim, or without a token all that are open.
UPDATE intent SET state = ?4, closed_ms = ?5
WHERE namespace = ?1 AND work_id = ?2 AND state = 'open' AND (?3 IS NULL OR token = ?3)
