SELECT seq FROM work
WHERE namespace = ?1 AND state = 'running' AND holder = 'caller' AND lease_until_ms <= ?2
  AND EXISTS (
      SELECT 1 FROM intent
      WHERE intent.namespace = work.namespace AND intent.work_id = work.work_id AND intent.token = work.token
        AND intent.state = 'open')
ORDER BY lease_until_ms
LIMIT ?3
