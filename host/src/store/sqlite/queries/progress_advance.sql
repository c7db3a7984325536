-- Forward only: a stage that is not ahead changes nothing.
INSERT INTO progress (namespace, root_key, stage, place, reached_ms)
SELECT ?1, root_key, ?3, ?4, ?5 FROM work WHERE namespace = ?1 AND work_id = ?2
ON CONFLICT (namespace, root_key) DO UPDATE
SET stage = excluded.stage, place = excluded.place, reached_ms = excluded.reached_ms
WHERE excluded.place > progress.place
