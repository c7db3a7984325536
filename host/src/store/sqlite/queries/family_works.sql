SELECT w.seq, w.work_id, w.step, w.chain_depth, w.state, w.updated_ms, w.occurred_at_ms, w.timed, w.window_ms,
       w.window_marker, m.set_ms
FROM work w LEFT JOIN marker m ON m.namespace = w.namespace AND m.name = w.window_marker
WHERE w.namespace = ?1 AND w.root_key = ?2
