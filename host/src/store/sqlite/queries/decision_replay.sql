UPDATE decision_pin SET replays = replays + 1
WHERE work_seq = (SELECT seq FROM work WHERE namespace = ?1 AND work_id = ?2)
  AND slot = ?3 AND answer_seq IS NOT NULL
RETURNING revision, (SELECT model FROM decision d WHERE d.seq = decision_pin.answer_seq) AS model
