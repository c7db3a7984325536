-- One kept event, however often it comes.
UPDATE quarantine SET repeats = repeats + 1
WHERE namespace = ?1 AND step = ?2 AND collides_with = ?3 AND content_hash = ?4
RETURNING work_id, root_key, state
