-- The fence of a settle, with what decides about it.
SELECT seq, holder, cancel_cause FROM work WHERE namespace = ?1 AND work_id = ?2 AND state = 'running' AND token = ?3
