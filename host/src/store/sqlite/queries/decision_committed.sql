-- Whether effects of a work have been committed, or may have happened, which its answers led to.
SELECT w.chunk > 0 OR EXISTS (SELECT 1 FROM outbox o WHERE o.work_seq = w.seq)
    OR EXISTS (SELECT 1 FROM intent i WHERE i.namespace = w.namespace AND i.work_id = w.work_id AND i.state <> 'withdrawn')
FROM work w WHERE w.namespace = ?1 AND w.work_id = ?2
