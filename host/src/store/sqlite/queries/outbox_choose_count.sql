-- As many as `outbox_choose` would give without a limit.
SELECT count(*) FROM outbox
WHERE namespace = ?1 AND state = ?2 AND state <> 'sent' AND (?3 IS NULL OR destination = ?3)
  AND (?4 IS NULL OR instr(cause, ?4) > 0)
