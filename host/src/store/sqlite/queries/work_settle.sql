-- The fence: a settle holds only while its token is the latest. A claim that is given back leaves the budget as it was
-- before it: the time begins with the first attempt that counts.
UPDATE work
SET state = ?3, attempt = CASE WHEN ?4 THEN 0 ELSE attempt - ?11 END,
    budget_from_ms = CASE WHEN ?11 AND attempt = 1 THEN NULL ELSE budget_from_ms END,
    chunk = chunk + ?4, lease_until_ms = NULL, due_ms = ?5,
    cursor = coalesce(?6, cursor), output = ?7, needs_review = ?8, cause = coalesce(?9, cause), updated_ms = ?10,
    settled_as = ?12
WHERE seq = ?1 AND state = 'running' AND token = ?2
