-- Kept events that collided with the family go with it. One that was admitted as this family stays, as the record of that,
-- until the one that it collided with goes.
DELETE FROM quarantine WHERE namespace = ?1 AND collides_with = ?2
