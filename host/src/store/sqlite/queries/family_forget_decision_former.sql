DELETE FROM decision_former WHERE work_seq IN (SELECT seq FROM work WHERE namespace = ?1 AND root_key = ?2)
