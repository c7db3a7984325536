-- `state <> 'sent'` says that the index of what is open holds them all.
SELECT row_id FROM outbox
WHERE namespace = ?1 AND state = ?2 AND state <> 'sent' AND (?3 IS NULL OR destination = ?3)
  AND (?4 IS NULL OR instr(cause, ?4) > 0)
ORDER BY seq
LIMIT ?5
