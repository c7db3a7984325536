UPDATE work SET forget_after_ms = ?2 WHERE seq = ?1
