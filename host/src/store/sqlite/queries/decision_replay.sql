UPDATE decision_pin SET replays = replays + 1
WHERE namespace = ?1 AND work_id = ?2 AND slot = ?3 AND cache_key IS NOT NULL
RETURNING revision, (SELECT model FROM decision d WHERE d.namespace = ?1 AND d.cache_key = decision_pin.cache_key) AS model
