UPDATE outbox SET payload = ?3, receipt = CASE WHEN receipt IS NULL THEN NULL ELSE ?3 END, erased_ms = ?4
WHERE work_seq IN (SELECT seq FROM work WHERE namespace = ?1 AND root_key = ?2) AND erased_ms IS NULL
