-- As many as `work_choose` would give without a limit.
SELECT count(*) FROM work
WHERE namespace = ?1 AND state = ?2 AND state <> 'done' AND (?3 IS NULL OR step = ?3)
  AND (?4 IS NULL OR instr(cause, ?4) > 0)
