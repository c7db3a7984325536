DELETE FROM alert_due WHERE namespace = ?1 AND noun = ?2 AND id = ?3
