-- Forward only, by the names in the operator's list: a handoff that is at one of the stages ?4 stays there, and one
-- whose stage the operator has taken out of the list is held back by nothing.
INSERT INTO progress (namespace, root_key, stage, reached_ms)
SELECT ?1, root_key, ?3, ?5 FROM work WHERE namespace = ?1 AND work_id = ?2
ON CONFLICT (namespace, root_key) DO UPDATE
SET stage = excluded.stage, reached_ms = excluded.reached_ms
WHERE progress.stage NOT IN (SELECT value FROM json_each(?4))
