-- Families whose windows may have ended, by the earliest moment at which they can have: those that time ends, or those that
-- one marker ends. Each is looked at before it goes.
SELECT seq, root_key, forget_after_ms FROM work
WHERE namespace = ?1 AND window_marker IS ?2 AND forget_after_ms < ?3 AND (forget_after_ms, seq) > (?4, ?5)
ORDER BY forget_after_ms, seq
LIMIT ?6
