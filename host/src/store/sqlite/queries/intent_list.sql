SELECT slot, token, opened_ms, state, external_reference, late
FROM intent WHERE namespace = ?1 AND work_id = ?2
ORDER BY token, opened_ms, slot
