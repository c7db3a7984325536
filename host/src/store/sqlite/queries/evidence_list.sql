SELECT seq, at_ms, kind, detail FROM evidence
WHERE work_seq = (SELECT seq FROM work WHERE namespace = ?1 AND work_id = ?2) ORDER BY seq
