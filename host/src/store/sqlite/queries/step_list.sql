SELECT DISTINCT step FROM contract WHERE namespace = ?1 ORDER BY step
