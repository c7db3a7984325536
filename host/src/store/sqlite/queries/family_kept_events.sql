-- How many events that collided with the family wait for a person.
SELECT count(*) AS number FROM quarantine WHERE namespace = ?1 AND collides_with = ?2 AND state = 'waiting'
