-- Conditional on the state the person saw. Whoever runs again gets a fresh budget.
UPDATE work
SET state = ?4, attempt = CASE WHEN ?4 = 'waiting' THEN 0 ELSE attempt END,
    due_ms = ?7, output = ?8, cause = ?6, updated_ms = ?5
WHERE namespace = ?1 AND work_id = ?2 AND state = ?3
