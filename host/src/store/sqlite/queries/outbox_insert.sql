-- A revision takes the place of the one before it in its ordering key's line; a new row goes to the end.
INSERT INTO outbox (namespace, row_id, base_id, revision, work_id, destination, slot, effect_version, payload, payload_hash,
                    ordering_key, place, behind, approval_reason, approval_until_ms, receipt_step, receipt_version,
                    same_key, same_within_ms, suppressed_by, state, due_ms, created_ms, updated_ms)
SELECT ?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, p.place,
       EXISTS (SELECT 1 FROM outbox h
               WHERE h.namespace = ?1 AND h.destination = ?6 AND h.ordering_key = ?11 AND h.place < p.place
                 AND h.state IN ('held', 'pending', 'sending', 'blocked', 'in-doubt')),
       ?13, ?14, ?15, ?16, ?17, ?18, ?19, ?20, CASE WHEN ?20 = 'pending' THEN ?21 END, ?21, ?21
FROM (SELECT coalesce(?12, (SELECT max(seq) FROM outbox), 0) + (?12 IS NULL) AS place) p
WHERE true
ON CONFLICT DO NOTHING
