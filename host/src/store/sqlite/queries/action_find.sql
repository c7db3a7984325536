SELECT fingerprint, outcome FROM action WHERE namespace = ?1 AND action_id = ?2
