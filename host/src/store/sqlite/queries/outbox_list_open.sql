-- `state <> 'sent'` says that the index of open rows holds them all.
SELECT * FROM outbox_shown
WHERE namespace = ?1 AND state = ?5 AND state <> 'sent' AND (?3 IS NULL OR destination = ?3)
  AND seq < CASE WHEN ?4 IS NULL THEN 9223372036854775807
      ELSE (SELECT seq FROM outbox WHERE namespace = ?1 AND row_id = ?4) END
ORDER BY seq DESC
LIMIT ?2
