-- `state <> 'done'` says that the index of what is open holds them all.
SELECT work_id FROM work
WHERE namespace = ?1 AND state = ?2 AND state <> 'done' AND (?3 IS NULL OR step = ?3)
  AND (?4 IS NULL OR instr(cause, ?4) > 0)
ORDER BY seq
LIMIT ?5
