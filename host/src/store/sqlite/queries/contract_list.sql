SELECT version, contract FROM contract WHERE namespace = ?1 AND step = ?2 ORDER BY version DESC
