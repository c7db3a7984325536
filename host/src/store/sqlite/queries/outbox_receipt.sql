-- What a step is given that goes on from the receipt.
SELECT o.work_id, o.destination, o.slot, o.payload, o.receipt, o.external_reference, o.receipt_step, o.receipt_version,
       w.readable_key
FROM outbox o JOIN work w ON w.seq = o.work_seq
WHERE o.namespace = ?1 AND o.row_id = ?2 AND o.receipt_step IS NOT NULL
