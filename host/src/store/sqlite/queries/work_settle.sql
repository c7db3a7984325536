-- The fence: a settle holds only while its token is the latest. A claim that is given back leaves the budget as it was
-- before it: the time begins with the first attempt that counts.
UPDATE work
SET state = ?4, attempt = CASE WHEN ?5 THEN 0 ELSE attempt - ?12 END,
    budget_from_ms = CASE WHEN ?12 AND attempt = 1 THEN NULL ELSE budget_from_ms END,
    chunk = chunk + ?5, lease_until_ms = NULL, due_ms = ?6,
    cursor = coalesce(?7, cursor), output = ?8, needs_review = ?9, cause = coalesce(?10, cause), updated_ms = ?11,
    settled_as = CASE WHEN holder = 'caller' THEN ?13 END
WHERE namespace = ?1 AND work_id = ?2 AND state = 'running' AND token = ?3
