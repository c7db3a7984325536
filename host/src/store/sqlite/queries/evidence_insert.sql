INSERT INTO evidence (work_seq, at_ms, kind, detail)
VALUES ((SELECT seq FROM work WHERE namespace = ?1 AND work_id = ?2), ?3, ?4, ?5)
