-- A row as far as its approval and its revisions go.
SELECT row_id, base_id, revision, work_id, destination, slot, effect_version, payload_hash, ordering_key, place,
       approval_reason, approval_until_ms, approved_by, approved_ms, receipt_step, receipt_version, state, created_ms,
       coalesce((SELECT l.row_id FROM outbox l
                 WHERE l.namespace = outbox.namespace AND l.base_id = outbox.base_id AND l.revision > 1
                   AND l.state <> 'superseded'), base_id) AS live
FROM outbox WHERE namespace = ?1 AND row_id = ?2
