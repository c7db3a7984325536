SELECT * FROM outbox_shown
WHERE work_seq = (SELECT seq FROM work WHERE namespace = ?1 AND work_id = ?5)
  AND (?6 IS NULL OR state = ?6) AND (?3 IS NULL OR destination = ?3)
  AND seq < CASE WHEN ?4 IS NULL THEN 9223372036854775807
      ELSE (SELECT seq FROM outbox WHERE namespace = ?1 AND row_id = ?4) END
ORDER BY seq DESC
LIMIT ?2
