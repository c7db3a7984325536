-- A revision takes the place of the one before it in its ordering key's line; a new row goes to the end. Where the line
-- has a head, the row is behind it.
INSERT INTO outbox (namespace, row_id, base_id, revision, work_id, work_seq, destination, slot, effect_version, payload,
                    payload_hash, ordering_key, place, behind, approval_reason, approval_until_ms, receipt_step, receipt_version,
                    same_key, same_within_ms, state, due_ms, created_ms, updated_ms)
VALUES (?1, ?2, ?3, ?4, ?5, (SELECT seq FROM work WHERE namespace = ?1 AND work_id = ?5), ?6, ?7, ?8, ?9, ?10, ?11,
       coalesce(?12, (SELECT max(seq) FROM outbox) + 1, 1),
       EXISTS (SELECT 1 FROM outbox h
               WHERE h.namespace = ?1 AND h.destination = ?6 AND h.ordering_key = ?11 AND h.behind = 0
                 AND (h.state = 'held' OR h.state = 'pending' OR h.state = 'sending' OR h.state = 'blocked'
                      OR h.state = 'in-doubt')),
       ?13, ?14, ?15, ?16, ?17, ?18, ?19, CASE WHEN ?19 = 'pending' THEN ?20 END, ?20, ?20)
ON CONFLICT (namespace, row_id) DO NOTHING
