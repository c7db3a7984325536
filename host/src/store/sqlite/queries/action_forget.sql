DELETE FROM action
WHERE namespace = ?1 AND action_id IN (
    SELECT action_id FROM action WHERE namespace = ?1 AND done_ms < ?2 ORDER BY done_ms LIMIT ?3)
