SELECT EXISTS (SELECT 1 FROM work WHERE namespace = ?1 AND state = 'running' AND holder = 'caller')
