-- An answer that was erased is none: the pin stands without it.
SELECT d.answer, p.answer_seq IS NOT NULL AS tied, p.revision, p.held_ms, p.expires_ms, p.approved_ms, p.approved_by, p.rejected_ms, p.rejected
FROM decision_pin p
LEFT JOIN decision d ON d.seq = p.answer_seq AND d.erased_ms IS NULL
WHERE p.work_seq = (SELECT seq FROM work WHERE namespace = ?1 AND work_id = ?2) AND p.slot = ?3
