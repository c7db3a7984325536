-- The first pin stands; one that a person had renewed takes the answer to its own revision.
INSERT INTO decision_pin (namespace, work_seq, slot, revision, answer_seq, origin, created_ms)
VALUES (?1, (SELECT seq FROM work WHERE namespace = ?1 AND work_id = ?2), ?3, ?4, ?5, ?6, ?7)
ON CONFLICT DO UPDATE SET answer_seq = excluded.answer_seq, origin = excluded.origin
WHERE decision_pin.answer_seq IS NULL AND decision_pin.revision = excluded.revision
