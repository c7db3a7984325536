UPDATE pause SET lifted_by = ?4, lifted_ms = ?5
WHERE namespace = ?1 AND scope = ?2 AND name = ?3 AND lifted_ms IS NULL
