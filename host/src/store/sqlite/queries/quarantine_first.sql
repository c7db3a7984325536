-- The work with the content that came first, the newest where it was run again under a later version.
SELECT work.work_id FROM quarantine
JOIN work ON work.namespace = quarantine.namespace AND work.root_key = quarantine.collides_with
         AND work.step = quarantine.step AND work.from_row IS NULL
WHERE quarantine.namespace = ?1 AND quarantine.work_id = ?2
ORDER BY work.root_version DESC, work.version DESC
LIMIT 1
