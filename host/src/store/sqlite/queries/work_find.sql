-- An event never claims what goes on from a receipt. A redelivery after a raised version finds the work under the version it was recorded with.
SELECT seq, work_id, readable_key, version, content_hash, state, lease_until_ms, due_ms
FROM work
WHERE namespace = ?1 AND root_key = ?2 AND step = ?3 AND from_row IS NULL
ORDER BY root_version DESC, version DESC
LIMIT 1
