SELECT state, number FROM state_count WHERE namespace = ?1 AND noun = 'work' AND number > 0
