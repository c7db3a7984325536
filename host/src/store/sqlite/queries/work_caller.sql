-- An outside caller's work, as far as its effects need it.
SELECT state, coalesce(token, 0) AS token FROM work WHERE namespace = ?1 AND work_id = ?2 AND holder = 'caller'
