SELECT cancel_cause FROM work WHERE namespace = ?1 AND work_id = ?2 AND cancel_cause IS NOT NULL
