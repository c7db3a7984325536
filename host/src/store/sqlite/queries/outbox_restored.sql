-- It may have gone out at any time since it was recorded, also where the copy knows of no attempt: a destination's memory
-- of it counts from there. What was said of it before is kept. One that is suppressed stays so: the first one may have gone out.
UPDATE outbox
SET state = 'in-doubt', maybe_applied = 1, by_word = 0, due_ms = NULL, lease_until_ms = NULL,
    first_attempt_ms = coalesce(first_attempt_ms, created_ms), updated_ms = ?1,
    cause = ?2 || CASE WHEN state = 'held' THEN ' (before: held, since ' || approval_reason || ')'
                       ELSE coalesce(' (before: ' || cause || ')', '') END
WHERE (state = 'held' OR state = 'pending' OR state = 'sending' OR state = 'blocked' OR state = 'in-doubt')
