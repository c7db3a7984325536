SELECT EXISTS (SELECT 1 FROM alert_due WHERE namespace = ?1)
