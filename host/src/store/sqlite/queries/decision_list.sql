SELECT w.work_id, w.readable_key, w.state, p.slot, p.revision, p.origin, p.replays, p.held_ms, p.expires_ms, p.approved_ms,
    p.approved_by, p.rejected_ms, p.rejected, p.created_ms, d.model, d.prompt_version, d.answer, d.calls, d.tokens_in,
    d.tokens_out, d.cost_micros, d.latency_ms
FROM decision_pin p
JOIN work w ON w.seq = p.work_seq
LEFT JOIN decision d ON d.seq = p.answer_seq
WHERE p.namespace = ?1 AND (?3 IS NULL OR p.slot = ?3)
ORDER BY p.created_ms DESC, p.work_seq, p.slot LIMIT ?2
