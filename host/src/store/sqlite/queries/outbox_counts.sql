SELECT state, number FROM state_count WHERE namespace = ?1 AND noun = 'outbox' AND number > 0
