-- The first word stands; a reference may still come to it.
INSERT INTO intent (namespace, work_id, slot, token, opened_ms, state, external_reference, closed_ms, late)
VALUES (?1, ?2, ?3, ?4, ?5, 'recorded', ?6, ?5, ?7)
ON CONFLICT DO UPDATE
SET state = 'recorded', closed_ms = coalesce(closed_ms, excluded.closed_ms),
    external_reference = coalesce(external_reference, excluded.external_reference),
    late = CASE WHEN state = 'recorded' THEN late ELSE excluded.late END
