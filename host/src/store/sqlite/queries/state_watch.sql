-- Every state that is entered, for as long as this connection is open: none is missed, whoever enters it.
CREATE TEMP TABLE reached (noun TEXT NOT NULL, state TEXT NOT NULL) STRICT;

CREATE TEMP TRIGGER reached_first_by_work AFTER INSERT ON main.work
BEGIN INSERT INTO reached VALUES ('work', NEW.state); END;

CREATE TEMP TRIGGER reached_by_work AFTER UPDATE OF state ON main.work WHEN NEW.state <> OLD.state
BEGIN INSERT INTO reached VALUES ('work', NEW.state); END;

CREATE TEMP TRIGGER reached_first_by_row AFTER INSERT ON main.outbox
BEGIN INSERT INTO reached VALUES ('row', NEW.state); END;

CREATE TEMP TRIGGER reached_by_row AFTER UPDATE OF state ON main.outbox WHEN NEW.state <> OLD.state
BEGIN INSERT INTO reached VALUES ('row', NEW.state); END;

CREATE TEMP TRIGGER reached_first_by_decision AFTER INSERT ON main.decision_pin
BEGIN
    INSERT INTO reached SELECT 'decision', 'recorded' WHERE NEW.answer_seq IS NOT NULL;
    INSERT INTO reached SELECT 'decision', 'held' WHERE NEW.held_ms IS NOT NULL;
END;

CREATE TEMP TRIGGER reached_by_decision AFTER UPDATE ON main.decision_pin
BEGIN
    INSERT INTO reached SELECT 'decision', 'recorded' WHERE OLD.answer_seq IS NULL AND NEW.answer_seq IS NOT NULL;
    INSERT INTO reached SELECT 'decision', 'held' WHERE OLD.held_ms IS NULL AND NEW.held_ms IS NOT NULL;
    INSERT INTO reached SELECT 'decision', 'approved' WHERE OLD.approved_ms IS NULL AND NEW.approved_ms IS NOT NULL;
    INSERT INTO reached SELECT 'decision', 'rejected' WHERE OLD.rejected_ms IS NULL AND NEW.rejected_ms IS NOT NULL;
END;

-- A model that gives no answer leaves nothing but evidence.
CREATE TEMP TRIGGER reached_without_decision AFTER INSERT ON main.evidence WHEN NEW.kind = 'undecided'
BEGIN INSERT INTO reached VALUES ('decision', 'failed'); END;

CREATE TEMP TRIGGER reached_first_by_handoff AFTER INSERT ON main.progress
BEGIN INSERT INTO reached VALUES ('stage', NEW.stage); END;

CREATE TEMP TRIGGER reached_by_handoff AFTER UPDATE OF stage ON main.progress WHEN NEW.stage <> OLD.stage
BEGIN INSERT INTO reached VALUES ('stage', NEW.stage); END;
