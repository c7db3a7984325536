-- The ledger's first schema. Every unique key leads with the namespace, or with a row of a work that does; constraints and
-- triggers carry the invariants, so that a fault in the program can't break a promise without an error.
--
-- Ids are hashes, so that an index which begins with one is written all over, a page for nearly each row. What belongs to a
-- work is found by the work's row number instead: it grows, and its index is written at the end.
--
--
-- More than two words are compared one by one, and not with IN: SQLite builds the list of an IN anew, as a table of its own,
-- for each row that is written, which cost more than the row.

CREATE TABLE sequence (
    one        INTEGER PRIMARY KEY CHECK (one = 1),
    -- The same in every copy of this ledger, and in no other.
    ledger_id  BLOB NOT NULL CHECK (length(ledger_id) = 16),
    token      INTEGER NOT NULL CHECK (token >= 0),
    now_ms     INTEGER NOT NULL
) STRICT;
INSERT INTO sequence (one, ledger_id, token, now_ms) VALUES (1, randomblob(16), 0, 0);

CREATE TRIGGER sequence_goes_forward BEFORE UPDATE ON sequence
WHEN NEW.token < OLD.token OR NEW.now_ms < OLD.now_ms OR NEW.ledger_id IS NOT OLD.ledger_id
BEGIN SELECT RAISE(ABORT, 'the token sequence and the time never go back'); END;

CREATE TRIGGER sequence_stays BEFORE DELETE ON sequence
BEGIN SELECT RAISE(ABORT, 'the token sequence is never reset'); END;

CREATE TABLE contract (
    namespace  TEXT NOT NULL,
    step       TEXT NOT NULL,
    version    INTEGER NOT NULL CHECK (version >= 1),
    contract   TEXT NOT NULL,
    PRIMARY KEY (namespace, step, version)
) STRICT, WITHOUT ROWID;

CREATE TABLE work (
    seq             INTEGER PRIMARY KEY,
    namespace       TEXT NOT NULL,
    work_id         BLOB NOT NULL CHECK (length(work_id) = 32),
    root_key        BLOB NOT NULL CHECK (length(root_key) = 32),
    root_version    INTEGER NOT NULL CHECK (root_version >= 1),
    step            TEXT NOT NULL,
    version         INTEGER NOT NULL CHECK (version >= 1),
    readable_key    TEXT NOT NULL,
    holder          TEXT NOT NULL DEFAULT 'host' CHECK (holder IN ('host', 'caller')),
    source          TEXT NOT NULL,
    event_id        TEXT,
    occurred_at_ms  INTEGER NOT NULL,
    timed           INTEGER NOT NULL CHECK (timed IN (0, 1)),
    content_hash    BLOB NOT NULL CHECK (length(content_hash) = 32),
    payload         BLOB NOT NULL,
    chain_depth     INTEGER NOT NULL DEFAULT 0 CHECK (chain_depth BETWEEN 0 AND 64),
    from_row        BLOB CHECK (length(from_row) = 32),
    state           TEXT NOT NULL CHECK (state = 'waiting' OR state = 'running' OR state = 'done'
                                         OR state = 'review' OR state = 'rejected' OR state = 'in-doubt'
                                         OR state = 'dead' OR state = 'cancelled'),
    attempt         INTEGER NOT NULL CHECK (attempt >= 0),
    budget_from_ms  INTEGER,
    chunk           INTEGER NOT NULL DEFAULT 0 CHECK (chunk >= 0),
    duplicates      INTEGER NOT NULL DEFAULT 0,
    token           INTEGER,
    lease_until_ms  INTEGER,
    due_ms          INTEGER,
    cursor          TEXT,
    output          BLOB,
    needs_review    TEXT,
    cause           TEXT,
    cancel_cause    TEXT,
    -- What an outside caller settled, so that its saying so again is the same act.
    settled_as      BLOB CHECK (length(settled_as) = 32),
    window_ms       INTEGER CHECK (window_ms > 0),
    window_marker   TEXT,
    forget_after_ms INTEGER,
    erased_ms       INTEGER,
    created_ms      INTEGER NOT NULL,
    updated_ms      INTEGER NOT NULL,
    CHECK (erased_ms IS NULL OR state = 'done' OR state = 'rejected' OR state = 'cancelled'),
    CHECK (window_ms IS NULL OR window_marker IS NULL),
    CHECK (forget_after_ms IS NULL OR window_ms IS NOT NULL OR window_marker IS NOT NULL),
    CHECK ((state = 'running') = (lease_until_ms IS NOT NULL)),
    CHECK (state <> 'running' OR (token IS NOT NULL AND attempt >= 1 AND budget_from_ms IS NOT NULL)),
    CHECK ((state = 'waiting') = (due_ms IS NOT NULL)),
    CHECK ((state = 'done') = (output IS NOT NULL)),
    CHECK ((state <> 'review' AND state <> 'rejected' AND state <> 'in-doubt' AND state <> 'dead'
            AND state <> 'cancelled') OR cause IS NOT NULL)
) STRICT;
CREATE UNIQUE INDEX work_by_id ON work (namespace, work_id);
-- The row whose receipt a work goes on from belongs to the key: two rows of one handoff may name the same step.
CREATE UNIQUE INDEX work_by_root ON work (namespace, root_key, step, root_version, version, coalesce(from_row, x''));
-- A worker takes what the host runs; an outside caller comes back for its own work.
CREATE INDEX work_waiting ON work (namespace, step, due_ms) WHERE state = 'waiting' AND holder = 'host';
CREATE INDEX work_running ON work (namespace, step, lease_until_ms) WHERE state = 'running' AND holder = 'host';
CREATE INDEX work_called ON work (namespace, lease_until_ms) WHERE state = 'running' AND holder = 'caller';
CREATE INDEX work_forgettable ON work (namespace, window_marker, forget_after_ms) WHERE forget_after_ms IS NOT NULL;
CREATE INDEX work_open ON work (namespace, state, seq) WHERE state <> 'done';

CREATE TRIGGER work_ends_once BEFORE UPDATE OF state ON work
WHEN (OLD.state = 'done' OR OLD.state = 'rejected' OR OLD.state = 'cancelled') AND NEW.state <> OLD.state
BEGIN SELECT RAISE(ABORT, 'finished work never changes'); END;

CREATE TRIGGER work_result_stands BEFORE UPDATE OF output ON work
WHEN OLD.output IS NOT NULL AND NEW.output IS NOT OLD.output
  AND NOT (OLD.erased_ms IS NULL AND NEW.erased_ms IS NOT NULL)
BEGIN SELECT RAISE(ABORT, 'the first result stands'); END;

CREATE TRIGGER work_payload_stands BEFORE UPDATE OF payload ON work
WHEN NEW.payload IS NOT OLD.payload AND NOT (OLD.erased_ms IS NULL AND NEW.erased_ms IS NOT NULL)
BEGIN SELECT RAISE(ABORT, 'the payload of a work stands'); END;

CREATE TRIGGER work_erased_once BEFORE UPDATE OF erased_ms ON work
WHEN OLD.erased_ms IS NOT NULL AND NEW.erased_ms IS NOT OLD.erased_ms
BEGIN SELECT RAISE(ABORT, 'what is erased stays erased'); END;

CREATE TRIGGER work_identity_stands
BEFORE UPDATE OF namespace, work_id, root_key, root_version, step, version, holder, content_hash, occurred_at_ms,
    from_row, timed, window_ms, window_marker ON work
BEGIN SELECT RAISE(ABORT, 'the identity of a work never changes'); END;

CREATE TRIGGER work_is_kept BEFORE DELETE ON work
WHEN OLD.state <> 'done' AND OLD.state <> 'rejected' AND OLD.state <> 'cancelled'
BEGIN SELECT RAISE(ABORT, 'unfinished work is never forgotten'); END;

CREATE TRIGGER work_token_grows BEFORE UPDATE OF token ON work
WHEN NEW.token IS NULL OR NEW.token < OLD.token
BEGIN SELECT RAISE(ABORT, 'a later claim has a greater token'); END;

-- What an outside caller said it would do under a claim, and what came of it. A lease that ends while one is open puts
-- the work in doubt.
CREATE TABLE intent (
    namespace           TEXT NOT NULL,
    work_id             BLOB NOT NULL,
    slot                TEXT NOT NULL CHECK (slot <> ''),
    token               INTEGER NOT NULL,
    opened_ms           INTEGER NOT NULL,
    state               TEXT NOT NULL CHECK (state = 'open' OR state = 'recorded' OR state = 'withdrawn'),
    external_reference  TEXT,
    closed_ms           INTEGER,
    late                INTEGER NOT NULL DEFAULT 0 CHECK (late IN (0, 1)),
    PRIMARY KEY (namespace, work_id, slot, token),
    FOREIGN KEY (namespace, work_id) REFERENCES work (namespace, work_id),
    CHECK ((state = 'open') = (closed_ms IS NULL)),
    CHECK (external_reference IS NULL OR state = 'recorded'),
    CHECK (late = 0 OR state = 'recorded')
) STRICT, WITHOUT ROWID;

CREATE TRIGGER intent_record_stands BEFORE UPDATE ON intent
WHEN OLD.state = 'recorded' AND (NEW.state <> 'recorded'
    OR (OLD.external_reference IS NOT NULL AND NEW.external_reference IS NOT OLD.external_reference))
BEGIN SELECT RAISE(ABORT, 'what has happened stays recorded'); END;

-- Events whose identity is on record with other content. Each waits for a person under the id that it would have as work
-- of its own.
CREATE TABLE quarantine (
    seq             INTEGER PRIMARY KEY,
    namespace       TEXT NOT NULL,
    work_id         BLOB NOT NULL CHECK (length(work_id) = 32),
    root_key        BLOB NOT NULL CHECK (length(root_key) = 32),
    collides_with   BLOB NOT NULL CHECK (length(collides_with) = 32),
    step            TEXT NOT NULL,
    version         INTEGER NOT NULL CHECK (version >= 1),
    readable_key    TEXT NOT NULL,
    source          TEXT NOT NULL,
    event_id        TEXT,
    occurred_at_ms  INTEGER NOT NULL,
    timed           INTEGER NOT NULL CHECK (timed IN (0, 1)),
    window_ms       INTEGER CHECK (window_ms > 0),
    window_marker   TEXT,
    content_hash    BLOB NOT NULL CHECK (length(content_hash) = 32),
    payload         BLOB NOT NULL,
    state           TEXT NOT NULL CHECK (state = 'waiting' OR state = 'admitted' OR state = 'dropped'),
    repeats         INTEGER NOT NULL DEFAULT 0 CHECK (repeats >= 0),
    decided_by      TEXT,
    created_ms      INTEGER NOT NULL,
    updated_ms      INTEGER NOT NULL,
    CHECK ((state = 'waiting') = (decided_by IS NULL))
) STRICT;
CREATE UNIQUE INDEX quarantine_by_id ON quarantine (namespace, work_id);
CREATE UNIQUE INDEX quarantine_by_content ON quarantine (namespace, step, collides_with, content_hash);

CREATE INDEX quarantine_by_first ON quarantine (namespace, collides_with);

CREATE TRIGGER quarantine_is_kept BEFORE DELETE ON quarantine WHEN OLD.state = 'waiting'
BEGIN SELECT RAISE(ABORT, 'an event that waits for a person is never forgotten'); END;

CREATE TRIGGER quarantine_decided_once BEFORE UPDATE OF state ON quarantine
WHEN OLD.state <> 'waiting' AND NEW.state <> OLD.state
BEGIN SELECT RAISE(ABORT, 'a kept event is decided about once'); END;

CREATE TRIGGER quarantine_payload_stands BEFORE UPDATE OF payload ON quarantine WHEN OLD.state = 'waiting'
BEGIN SELECT RAISE(ABORT, 'what a person must look at stands'); END;

CREATE TRIGGER quarantine_content_stands
BEFORE UPDATE OF namespace, work_id, root_key, collides_with, step, version, content_hash, occurred_at_ms,
    timed, window_ms, window_marker ON quarantine
BEGIN SELECT RAISE(ABORT, 'the identity of a kept event never changes'); END;

-- Events as they arrived, to the byte, each under the id of its work or of the kept event.
CREATE TABLE event_raw (
    seq           INTEGER PRIMARY KEY,
    namespace     TEXT NOT NULL,
    work_id       BLOB NOT NULL CHECK (length(work_id) = 32),
    content_type  TEXT,
    headers       TEXT NOT NULL,
    body          BLOB NOT NULL,
    created_ms    INTEGER NOT NULL
) STRICT;
CREATE UNIQUE INDEX event_raw_by_id ON event_raw (namespace, work_id);

CREATE TRIGGER event_raw_stands BEFORE UPDATE ON event_raw
BEGIN SELECT RAISE(ABORT, 'an event stands as it arrived'); END;

CREATE TRIGGER event_raw_is_kept BEFORE DELETE ON event_raw
WHEN EXISTS (SELECT 1 FROM work w WHERE w.namespace = OLD.namespace AND w.work_id = OLD.work_id
               AND (w.state <> 'done' AND w.state <> 'rejected' AND w.state <> 'cancelled'))
  OR EXISTS (SELECT 1 FROM quarantine q WHERE q.namespace = OLD.namespace AND q.work_id = OLD.work_id
               AND q.state = 'waiting')
BEGIN SELECT RAISE(ABORT, 'the event of unfinished work is never forgotten'); END;

CREATE TABLE decision (
    seq             INTEGER PRIMARY KEY,
    namespace       TEXT NOT NULL,
    -- The question. None where a step found the answer by rule: nobody else is given it.
    cache_key       BLOB CHECK (length(cache_key) = 32),
    model           TEXT NOT NULL,
    prompt_version  TEXT NOT NULL,
    answer          BLOB NOT NULL,
    calls           INTEGER NOT NULL CHECK (calls >= 0),
    tokens_in       INTEGER CHECK (tokens_in >= 0),
    tokens_out      INTEGER CHECK (tokens_out >= 0),
    cost_micros     INTEGER CHECK (cost_micros >= 0),
    latency_ms      INTEGER NOT NULL CHECK (latency_ms >= 0),
    erased_ms       INTEGER,
    created_ms      INTEGER NOT NULL
) STRICT;
CREATE UNIQUE INDEX decision_by_question ON decision (namespace, cache_key) WHERE cache_key IS NOT NULL;
CREATE INDEX decision_by_age ON decision (namespace, created_ms);

-- An answer that was erased is none: the next one to the same question is the first.
CREATE TRIGGER decision_stands BEFORE UPDATE ON decision
WHEN (OLD.erased_ms IS NULL) = (NEW.erased_ms IS NULL)
  OR NEW.namespace IS NOT OLD.namespace OR NEW.cache_key IS NOT OLD.cache_key
BEGIN SELECT RAISE(ABORT, 'the first recorded answer stands'); END;

CREATE TABLE decision_pin (
    namespace    TEXT NOT NULL,
    work_seq     INTEGER NOT NULL REFERENCES work (seq),
    slot         TEXT NOT NULL,
    revision     INTEGER NOT NULL CHECK (revision >= 1),
    answer_seq   INTEGER REFERENCES decision (seq),
    origin       TEXT CHECK (origin = 'asked' OR origin = 'cached' OR origin = 'rule'),
    replays      INTEGER NOT NULL DEFAULT 0 CHECK (replays >= 0),
    held_ms      INTEGER,
    expires_ms   INTEGER,
    approved_ms  INTEGER,
    approved_by  TEXT,
    rejected_ms  INTEGER,
    rejected     TEXT,
    created_ms   INTEGER NOT NULL,
    PRIMARY KEY (work_seq, slot),
    CHECK ((answer_seq IS NULL) = (origin IS NULL)),
    CHECK (answer_seq IS NOT NULL OR (revision > 1 AND held_ms IS NULL)),
    CHECK (held_ms IS NOT NULL OR (expires_ms IS NULL AND approved_ms IS NULL AND rejected_ms IS NULL)),
    CHECK (approved_ms IS NULL OR rejected_ms IS NULL),
    CHECK ((approved_ms IS NULL) = (approved_by IS NULL)),
    CHECK ((rejected_ms IS NULL) = (rejected IS NULL))
) STRICT, WITHOUT ROWID;
CREATE INDEX decision_pin_newest ON decision_pin (namespace, created_ms);
CREATE INDEX decision_pin_waiting ON decision_pin (namespace, created_ms)
    WHERE held_ms IS NOT NULL AND approved_ms IS NULL AND rejected_ms IS NULL;
CREATE INDEX decision_pin_by_answer ON decision_pin (answer_seq) WHERE answer_seq IS NOT NULL;

CREATE TRIGGER decision_pin_stands BEFORE UPDATE ON decision_pin
WHEN NEW.namespace IS NOT OLD.namespace OR NEW.work_seq IS NOT OLD.work_seq OR NEW.slot IS NOT OLD.slot
  OR NEW.created_ms IS NOT OLD.created_ms OR NEW.replays < OLD.replays
  OR (NEW.revision = OLD.revision AND OLD.answer_seq IS NOT NULL
      AND (NEW.answer_seq IS NOT OLD.answer_seq OR NEW.origin IS NOT OLD.origin))
BEGIN SELECT RAISE(ABORT, 'the first pin stands'); END;

-- Answers that a work was given before a person had them renewed. They are erased with the work's own.
CREATE TABLE decision_former (
    work_seq    INTEGER NOT NULL REFERENCES work (seq),
    slot        TEXT NOT NULL,
    revision    INTEGER NOT NULL CHECK (revision >= 1),
    answer_seq  INTEGER NOT NULL REFERENCES decision (seq),
    PRIMARY KEY (work_seq, slot, revision)
) STRICT, WITHOUT ROWID;
CREATE INDEX decision_former_by_answer ON decision_former (answer_seq);

CREATE TRIGGER decision_pin_former AFTER UPDATE OF revision ON decision_pin WHEN NEW.revision <> OLD.revision
BEGIN
    INSERT INTO decision_former (work_seq, slot, revision, answer_seq)
    VALUES (OLD.work_seq, OLD.slot, OLD.revision, OLD.answer_seq);
END;

CREATE TRIGGER decision_pin_revision BEFORE UPDATE OF revision ON decision_pin
WHEN NEW.revision <> OLD.revision
  AND NOT (NEW.revision = OLD.revision + 1 AND OLD.answer_seq IS NOT NULL AND NEW.answer_seq IS NULL)
BEGIN SELECT RAISE(ABORT, 'a renewed decision is the next revision, and open'); END;

CREATE TRIGGER decision_pin_renewal BEFORE UPDATE OF revision ON decision_pin
WHEN NEW.revision <> OLD.revision AND EXISTS (
    SELECT 1 FROM work w WHERE w.seq = OLD.work_seq
      AND ((w.state <> 'waiting' AND w.state <> 'review' AND w.state <> 'dead') OR w.chunk > 0
           OR EXISTS (SELECT 1 FROM outbox o WHERE o.work_seq = w.seq)
           OR EXISTS (SELECT 1 FROM intent i WHERE i.namespace = w.namespace AND i.work_id = w.work_id
                        AND i.state <> 'withdrawn')))
BEGIN SELECT RAISE(ABORT, 'a decision whose effects are committed is not renewed'); END;

CREATE TRIGGER decision_pin_word BEFORE UPDATE OF held_ms, expires_ms, approved_ms, approved_by, rejected_ms, rejected
ON decision_pin
WHEN NEW.revision = OLD.revision
  AND ((OLD.held_ms IS NOT NULL AND (NEW.held_ms IS NOT OLD.held_ms OR NEW.expires_ms IS NOT OLD.expires_ms))
    OR (OLD.approved_ms IS NOT NULL AND (NEW.approved_ms IS NOT OLD.approved_ms OR NEW.approved_by IS NOT OLD.approved_by))
    OR (OLD.rejected_ms IS NOT NULL AND (NEW.rejected_ms IS NOT OLD.rejected_ms OR NEW.rejected IS NOT OLD.rejected)))
BEGIN SELECT RAISE(ABORT, 'what a person has said about a decision stands'); END;

CREATE TRIGGER decision_pin_expired BEFORE UPDATE OF approved_ms ON decision_pin
WHEN NEW.approved_ms IS NOT NULL AND OLD.approved_ms IS NULL AND NEW.approved_ms > OLD.expires_ms
BEGIN SELECT RAISE(ABORT, 'a request that has expired is not approved'); END;

-- What each model was asked: adding 10^6 decisions up at each look would take seconds, and failed calls are no decisions.
CREATE TABLE model_total (
    namespace     TEXT NOT NULL,
    model         TEXT NOT NULL,
    calls         INTEGER NOT NULL CHECK (calls >= 0),
    failed_calls  INTEGER NOT NULL CHECK (failed_calls >= 0),
    tokens_in     INTEGER NOT NULL CHECK (tokens_in >= 0),
    tokens_out    INTEGER NOT NULL CHECK (tokens_out >= 0),
    cost_micros   INTEGER NOT NULL CHECK (cost_micros >= 0),
    asked         INTEGER NOT NULL CHECK (asked >= 0),
    cached        INTEGER NOT NULL CHECK (cached >= 0),
    replayed      INTEGER NOT NULL CHECK (replayed >= 0),
    PRIMARY KEY (namespace, model)
) STRICT, WITHOUT ROWID;

CREATE TRIGGER model_total_grows BEFORE UPDATE ON model_total
WHEN NEW.calls < OLD.calls OR NEW.failed_calls < OLD.failed_calls OR NEW.tokens_in < OLD.tokens_in
  OR NEW.tokens_out < OLD.tokens_out OR NEW.cost_micros < OLD.cost_micros OR NEW.asked < OLD.asked
  OR NEW.cached < OLD.cached OR NEW.replayed < OLD.replayed
BEGIN SELECT RAISE(ABORT, 'what was spent stays spent'); END;

CREATE TABLE outbox (
    seq                 INTEGER PRIMARY KEY,
    namespace           TEXT NOT NULL,
    row_id              BLOB NOT NULL CHECK (length(row_id) = 32),
    base_id             BLOB NOT NULL CHECK (length(base_id) = 32),
    revision            INTEGER NOT NULL CHECK (revision >= 1),
    work_id             BLOB NOT NULL,
    work_seq            INTEGER NOT NULL REFERENCES work (seq),
    destination         TEXT NOT NULL,
    slot                TEXT NOT NULL,
    effect_version      INTEGER NOT NULL CHECK (effect_version >= 1),
    payload             BLOB NOT NULL,
    payload_hash        BLOB NOT NULL CHECK (length(payload_hash) = 32),
    ordering_key        TEXT,
    place               INTEGER NOT NULL,
    behind              INTEGER NOT NULL CHECK (behind IN (0, 1)),
    approval_reason     TEXT,
    approval_until_ms   INTEGER,
    approved_by         TEXT,
    approved_ms         INTEGER,
    receipt_step        TEXT,
    receipt_version     INTEGER,
    same_key            BLOB CHECK (length(same_key) = 32),
    same_within_ms      INTEGER,
    suppressed_by       BLOB CHECK (length(suppressed_by) = 32),
    state               TEXT NOT NULL CHECK (state = 'held' OR state = 'suppressed' OR state = 'pending'
                                             OR state = 'sending' OR state = 'sent' OR state = 'blocked'
                                             OR state = 'in-doubt' OR state = 'cancelled'
                                             OR state = 'superseded'),
    attempt             INTEGER NOT NULL DEFAULT 0 CHECK (attempt >= 0),
    token               INTEGER,
    lease_until_ms      INTEGER,
    due_ms              INTEGER,
    envelope            TEXT,
    patient             INTEGER NOT NULL DEFAULT 0 CHECK (patient IN (0, 1)),
    first_attempt_ms    INTEGER,
    maybe_applied       INTEGER NOT NULL DEFAULT 0 CHECK (maybe_applied IN (0, 1)),
    by_word             INTEGER NOT NULL DEFAULT 0 CHECK (by_word IN (0, 1)),
    receipt             BLOB,
    receipt_truncated   INTEGER NOT NULL DEFAULT 0 CHECK (receipt_truncated IN (0, 1)),
    external_reference  TEXT,
    cause               TEXT,
    erased_ms           INTEGER,
    created_ms          INTEGER NOT NULL,
    updated_ms          INTEGER NOT NULL,
    CHECK ((revision = 1) = (row_id = base_id)),
    CHECK ((approved_by IS NULL) = (approved_ms IS NULL)),
    CHECK ((receipt_step IS NULL) = (receipt_version IS NULL)),
    CHECK ((same_key IS NULL) = (same_within_ms IS NULL)),
    CHECK ((state = 'suppressed') = (suppressed_by IS NOT NULL)),
    CHECK (state <> 'held' OR (approval_reason IS NOT NULL AND approved_by IS NULL)),
    -- What a person must approve does not move without that.
    CHECK (approval_reason IS NULL OR approved_by IS NOT NULL
           OR (state = 'held' OR state = 'suppressed' OR state = 'in-doubt' OR state = 'cancelled'
               OR state = 'superseded')),
    CHECK ((state = 'sending') = (lease_until_ms IS NOT NULL)),
    CHECK (state <> 'sending' OR (token IS NOT NULL AND envelope IS NOT NULL AND first_attempt_ms IS NOT NULL)),
    CHECK (state <> 'sending' OR behind = 0),
    CHECK ((state = 'pending') = (due_ms IS NOT NULL)),
    CHECK ((state = 'sent') = (receipt IS NOT NULL)),
    CHECK ((state <> 'blocked' AND state <> 'in-doubt' AND state <> 'cancelled' AND state <> 'superseded')
           OR cause IS NOT NULL),
    CHECK (erased_ms IS NULL OR (state <> 'held' AND state <> 'pending' AND state <> 'sending'
                                 AND state <> 'blocked' AND state <> 'in-doubt'))
) STRICT;
CREATE UNIQUE INDEX outbox_by_id ON outbox (namespace, row_id);
-- One revision of a row is live; nearly all rows have no second one.
CREATE UNIQUE INDEX outbox_live ON outbox (namespace, base_id) WHERE revision > 1 AND state <> 'superseded';
CREATE INDEX outbox_by_work ON outbox (work_seq);
CREATE INDEX outbox_pending ON outbox (namespace, destination, due_ms, seq) WHERE state = 'pending' AND behind = 0;
CREATE INDEX outbox_sending ON outbox (namespace, destination, lease_until_ms) WHERE state = 'sending';
CREATE INDEX outbox_open ON outbox (namespace, state, seq) WHERE state <> 'sent';
CREATE INDEX outbox_ordered ON outbox (namespace, destination, ordering_key, place)
    WHERE ordering_key IS NOT NULL AND (state = 'held' OR state = 'pending' OR state = 'sending'
                                        OR state = 'blocked' OR state = 'in-doubt');
-- One row of a line may go, and the others are behind it.
CREATE UNIQUE INDEX outbox_head ON outbox (namespace, destination, ordering_key)
    WHERE ordering_key IS NOT NULL AND behind = 0 AND (state = 'held' OR state = 'pending' OR state = 'sending'
                                                       OR state = 'blocked' OR state = 'in-doubt');
CREATE INDEX outbox_same ON outbox (namespace, destination, same_key, seq)
    WHERE same_key IS NOT NULL
      AND (state = 'held' OR state = 'pending' OR state = 'sending' OR state = 'sent' OR state = 'blocked'
           OR state = 'in-doubt' OR state = 'cancelled');
CREATE INDEX outbox_suppressed ON outbox (namespace, suppressed_by, seq) WHERE state = 'suppressed';
CREATE INDEX outbox_expiring ON outbox (namespace, approval_until_ms)
    WHERE state = 'held' AND approval_until_ms IS NOT NULL;

-- The row that makes this one wait, where one does.
CREATE VIEW outbox_shown AS
SELECT o.*, CASE WHEN o.behind = 1 AND (o.state = 'held' OR o.state = 'pending' OR o.state = 'blocked'
                                        OR o.state = 'in-doubt') THEN
    (SELECT h.row_id FROM outbox h
     WHERE h.namespace = o.namespace AND h.destination = o.destination AND h.ordering_key = o.ordering_key
       AND h.behind = 0 AND (h.state = 'held' OR h.state = 'pending' OR h.state = 'sending'
                             OR h.state = 'blocked' OR h.state = 'in-doubt')) END AS behind_row
FROM outbox o;

-- Where the head of a line leaves it, the next in line is free to go. A superseded one leaves its place to its successor.
CREATE TRIGGER outbox_moves_up AFTER UPDATE OF state ON outbox
WHEN NEW.ordering_key IS NOT NULL AND OLD.behind = 0
  AND (OLD.state = 'held' OR OLD.state = 'pending' OR OLD.state = 'sending' OR OLD.state = 'blocked'
       OR OLD.state = 'in-doubt')
  AND (NEW.state = 'sent' OR NEW.state = 'cancelled' OR NEW.state = 'suppressed')
BEGIN
    UPDATE outbox
    SET behind = 0, due_ms = CASE WHEN state = 'pending' THEN max(due_ms, NEW.updated_ms) END
    WHERE seq = (
        SELECT seq FROM outbox
        WHERE namespace = NEW.namespace AND destination = NEW.destination AND ordering_key = NEW.ordering_key
          AND (state = 'held' OR state = 'pending' OR state = 'sending' OR state = 'blocked' OR state = 'in-doubt')
        ORDER BY place LIMIT 1);
END;

CREATE TRIGGER outbox_revised_once BEFORE INSERT ON outbox
WHEN NEW.revision > 1 AND EXISTS (
    SELECT 1 FROM outbox WHERE namespace = NEW.namespace AND row_id = NEW.base_id AND state <> 'superseded')
BEGIN SELECT RAISE(ABORT, 'one revision of a row is live'); END;

CREATE TRIGGER outbox_sent_stays BEFORE UPDATE OF state ON outbox
WHEN (OLD.state = 'sent' OR OLD.state = 'cancelled' OR OLD.state = 'superseded') AND NEW.state <> OLD.state
BEGIN SELECT RAISE(ABORT, 'a sent row is never taken again'); END;

CREATE TRIGGER outbox_approval_stands BEFORE UPDATE OF approved_by, approved_ms ON outbox
WHEN OLD.approved_by IS NOT NULL AND (NEW.approved_by IS NOT OLD.approved_by OR NEW.approved_ms IS NOT OLD.approved_ms)
BEGIN SELECT RAISE(ABORT, 'the first approval stands'); END;

CREATE TRIGGER outbox_is_kept BEFORE DELETE ON outbox 
WHEN OLD.state = 'held' OR OLD.state = 'pending' OR OLD.state = 'sending' OR OLD.state = 'blocked'
  OR OLD.state = 'in-doubt'
BEGIN SELECT RAISE(ABORT, 'a row that is not settled is never forgotten'); END;

CREATE TRIGGER outbox_receipt_stands BEFORE UPDATE OF receipt, external_reference ON outbox
WHEN OLD.state = 'sent' AND (NEW.external_reference IS NOT OLD.external_reference
  OR (NEW.receipt IS NOT OLD.receipt AND NOT (OLD.erased_ms IS NULL AND NEW.erased_ms IS NOT NULL)))
BEGIN SELECT RAISE(ABORT, 'the receipt of a sent row stands'); END;

CREATE TRIGGER outbox_payload_stands
BEFORE UPDATE OF namespace, row_id, base_id, revision, work_id, work_seq, destination, slot, effect_version, payload_hash,
    ordering_key, place, approval_reason, approval_until_ms, receipt_step, receipt_version, same_key, same_within_ms,
    created_ms ON outbox
BEGIN SELECT RAISE(ABORT, 'the first payload of a row stands'); END;

CREATE TRIGGER outbox_payload_is_frozen BEFORE UPDATE OF payload ON outbox
WHEN NEW.payload IS NOT OLD.payload AND NOT (OLD.erased_ms IS NULL AND NEW.erased_ms IS NOT NULL)
BEGIN SELECT RAISE(ABORT, 'the first payload of a row stands'); END;

CREATE TRIGGER outbox_erased_once BEFORE UPDATE OF erased_ms ON outbox
WHEN OLD.erased_ms IS NOT NULL AND NEW.erased_ms IS NOT OLD.erased_ms
BEGIN SELECT RAISE(ABORT, 'what is erased stays erased'); END;

CREATE TRIGGER outbox_envelope_stands BEFORE UPDATE OF envelope ON outbox
WHEN OLD.envelope IS NOT NULL AND NEW.envelope IS NOT OLD.envelope
  AND NOT (NEW.envelope IS NULL AND NEW.maybe_applied = 0)
BEGIN SELECT RAISE(ABORT, 'what was sent first is sent again'); END;

CREATE TRIGGER outbox_doubt_stays BEFORE UPDATE OF maybe_applied ON outbox
WHEN OLD.maybe_applied = 1 AND NEW.maybe_applied = 0
BEGIN SELECT RAISE(ABORT, 'a row once maybe-applied stays so'); END;

CREATE TRIGGER outbox_token_grows BEFORE UPDATE OF token ON outbox
WHEN NEW.token IS NULL OR NEW.token < OLD.token
BEGIN SELECT RAISE(ABORT, 'a later take has a greater token'); END;

-- How many works and rows are in each state: counting 10^6 finished works at each look would take seconds.
CREATE TABLE state_count (
    namespace  TEXT NOT NULL,
    noun       TEXT NOT NULL CHECK (noun = 'work' OR noun = 'outbox' OR noun = 'quarantine'),
    state      TEXT NOT NULL,
    number     INTEGER NOT NULL CHECK (number >= 0),
    PRIMARY KEY (namespace, noun, state)
) STRICT, WITHOUT ROWID;

CREATE TRIGGER work_counted AFTER INSERT ON work
BEGIN
    INSERT INTO state_count (namespace, noun, state, number) VALUES (NEW.namespace, 'work', NEW.state, 1)
    ON CONFLICT DO UPDATE SET number = number + 1;
END;

CREATE TRIGGER work_recounted AFTER UPDATE OF state ON work WHEN NEW.state <> OLD.state
BEGIN
    UPDATE state_count SET number = number - 1 WHERE namespace = OLD.namespace AND noun = 'work' AND state = OLD.state;
    INSERT INTO state_count (namespace, noun, state, number) VALUES (NEW.namespace, 'work', NEW.state, 1)
    ON CONFLICT DO UPDATE SET number = number + 1;
END;

CREATE TRIGGER work_uncounted AFTER DELETE ON work
BEGIN
    UPDATE state_count SET number = number - 1 WHERE namespace = OLD.namespace AND noun = 'work' AND state = OLD.state;
END;

CREATE TRIGGER outbox_counted AFTER INSERT ON outbox
BEGIN
    INSERT INTO state_count (namespace, noun, state, number) VALUES (NEW.namespace, 'outbox', NEW.state, 1)
    ON CONFLICT DO UPDATE SET number = number + 1;
END;

CREATE TRIGGER outbox_recounted AFTER UPDATE OF state ON outbox WHEN NEW.state <> OLD.state
BEGIN
    UPDATE state_count SET number = number - 1 WHERE namespace = OLD.namespace AND noun = 'outbox' AND state = OLD.state;
    INSERT INTO state_count (namespace, noun, state, number) VALUES (NEW.namespace, 'outbox', NEW.state, 1)
    ON CONFLICT DO UPDATE SET number = number + 1;
END;

CREATE TRIGGER outbox_uncounted AFTER DELETE ON outbox
BEGIN
    UPDATE state_count SET number = number - 1 WHERE namespace = OLD.namespace AND noun = 'outbox' AND state = OLD.state;
END;

CREATE TRIGGER quarantine_counted AFTER INSERT ON quarantine
BEGIN
    INSERT INTO state_count (namespace, noun, state, number) VALUES (NEW.namespace, 'quarantine', NEW.state, 1)
    ON CONFLICT DO UPDATE SET number = number + 1;
END;

CREATE TRIGGER quarantine_recounted AFTER UPDATE OF state ON quarantine WHEN NEW.state <> OLD.state
BEGIN
    UPDATE state_count SET number = number - 1
    WHERE namespace = OLD.namespace AND noun = 'quarantine' AND state = OLD.state;
    INSERT INTO state_count (namespace, noun, state, number) VALUES (NEW.namespace, 'quarantine', NEW.state, 1)
    ON CONFLICT DO UPDATE SET number = number + 1;
END;

CREATE TRIGGER quarantine_uncounted AFTER DELETE ON quarantine
BEGIN
    UPDATE state_count SET number = number - 1
    WHERE namespace = OLD.namespace AND noun = 'quarantine' AND state = OLD.state;
END;

-- What an operator, or a destination that refuses us, has stopped. A pause that was lifted stays as the record of who
-- stopped what, and who let it go on.
CREATE TABLE pause (
    seq        INTEGER PRIMARY KEY,
    namespace  TEXT NOT NULL,
    scope      TEXT NOT NULL CHECK (scope = 'destination' OR scope = 'step' OR scope = 'namespace'
                                    OR scope = 'everything'),
    name       TEXT NOT NULL,
    cause      TEXT NOT NULL,
    paused_by  TEXT,
    paused_ms  INTEGER NOT NULL,
    lifted_by  TEXT,
    lifted_ms  INTEGER,
    CHECK ((scope IN ('destination', 'step')) = (name <> '')),
    CHECK ((scope = 'everything') = (namespace = '')),
    CHECK ((lifted_by IS NULL) = (lifted_ms IS NULL))
) STRICT;
CREATE UNIQUE INDEX pause_active ON pause (namespace, scope, name) WHERE lifted_ms IS NULL;

CREATE TRIGGER pause_stands BEFORE UPDATE ON pause WHEN OLD.lifted_ms IS NOT NULL
BEGIN SELECT RAISE(ABORT, 'a lifted pause never changes'); END;

CREATE TRIGGER pause_cause_stands
BEFORE UPDATE OF namespace, scope, name, cause, paused_by, paused_ms ON pause WHEN OLD.lifted_ms IS NULL
BEGIN SELECT RAISE(ABORT, 'the first cause of a pause stands'); END;

-- What has stopped and nobody has been told of. It is kept by triggers, so that it commits with the failure itself; what
-- goes on again is taken out.
CREATE TABLE alert_due (
    namespace  TEXT NOT NULL,
    noun       TEXT NOT NULL CHECK (noun IN ('work', 'outbox')),
    id         BLOB NOT NULL CHECK (length(id) = 32),
    PRIMARY KEY (namespace, noun, id)
) STRICT, WITHOUT ROWID;

CREATE TRIGGER work_stops AFTER UPDATE OF state ON work
WHEN NEW.state <> OLD.state
  AND (NEW.state = 'review' OR NEW.state = 'in-doubt' OR NEW.state = 'dead'
       OR OLD.state = 'review' OR OLD.state = 'in-doubt' OR OLD.state = 'dead')
BEGIN
    DELETE FROM alert_due WHERE namespace = NEW.namespace AND noun = 'work' AND id = NEW.work_id;
    INSERT INTO alert_due (namespace, noun, id)
    SELECT NEW.namespace, 'work', NEW.work_id
    WHERE NEW.state = 'review' OR NEW.state = 'in-doubt' OR NEW.state = 'dead';
END;

CREATE TRIGGER work_is_born_stopped AFTER INSERT ON work
WHEN NEW.state = 'review' OR NEW.state = 'in-doubt' OR NEW.state = 'dead'
BEGIN INSERT INTO alert_due (namespace, noun, id) VALUES (NEW.namespace, 'work', NEW.work_id); END;

CREATE TRIGGER outbox_stops AFTER UPDATE OF state ON outbox
WHEN NEW.state <> OLD.state AND (NEW.state IN ('blocked', 'in-doubt') OR OLD.state IN ('blocked', 'in-doubt'))
BEGIN
    DELETE FROM alert_due WHERE namespace = NEW.namespace AND noun = 'outbox' AND id = NEW.row_id;
    INSERT INTO alert_due (namespace, noun, id)
    SELECT NEW.namespace, 'outbox', NEW.row_id WHERE NEW.state IN ('blocked', 'in-doubt');
END;

-- When a destination may be called again: its rate, what it asked for itself, and its rest after failures in a row, by the
-- terms of the last take.
CREATE TABLE destination_pace (
    namespace       TEXT NOT NULL,
    destination     TEXT NOT NULL,
    free_at_us      INTEGER NOT NULL DEFAULT 0,
    failures        INTEGER NOT NULL DEFAULT 0 CHECK (failures >= 0),
    failed_ms       INTEGER,
    rests_until_ms  INTEGER,
    breaker         TEXT,
    PRIMARY KEY (namespace, destination),
    CHECK ((failures = 0) = (failed_ms IS NULL)),
    CHECK (rests_until_ms IS NULL OR failures > 0)
) STRICT, WITHOUT ROWID;

CREATE TABLE progress (
    namespace   TEXT NOT NULL,
    root_key    BLOB NOT NULL CHECK (length(root_key) = 32),
    stage       TEXT NOT NULL,
    reached_ms  INTEGER NOT NULL,
    PRIMARY KEY (namespace, root_key)
) STRICT, WITHOUT ROWID;
CREATE INDEX progress_by_stage ON progress (namespace, stage, reached_ms);

CREATE TABLE item (
    namespace           TEXT NOT NULL,
    step                TEXT NOT NULL,
    item_key            TEXT NOT NULL,
    work_id             BLOB NOT NULL,
    token               INTEGER NOT NULL,
    done                INTEGER NOT NULL DEFAULT 0 CHECK (done IN (0, 1)),
    external_reference  TEXT,
    updated_ms          INTEGER NOT NULL,
    PRIMARY KEY (namespace, step, item_key),
    FOREIGN KEY (namespace, work_id) REFERENCES work (namespace, work_id)
) STRICT, WITHOUT ROWID;

CREATE INDEX item_by_work ON item (namespace, work_id);

CREATE TRIGGER item_ends_once BEFORE UPDATE ON item WHEN OLD.done = 1
BEGIN SELECT RAISE(ABORT, 'a finished item never changes'); END;

CREATE TABLE evidence (
    seq        INTEGER PRIMARY KEY,
    work_seq   INTEGER NOT NULL REFERENCES work (seq),
    at_ms      INTEGER NOT NULL,
    kind       TEXT NOT NULL,
    detail     TEXT NOT NULL
) STRICT;
CREATE INDEX evidence_by_work ON evidence (work_seq, seq);

CREATE TRIGGER evidence_stands BEFORE UPDATE ON evidence
BEGIN SELECT RAISE(ABORT, 'evidence is never changed'); END;

-- Acts that carried an id of their own, with their first outcomes: said again, they are answered alike and not done again.
CREATE TABLE action (
    namespace    TEXT NOT NULL,
    action_id    TEXT NOT NULL CHECK (action_id <> ''),
    fingerprint  BLOB NOT NULL CHECK (length(fingerprint) = 32),
    outcome      TEXT NOT NULL,
    done_ms      INTEGER NOT NULL,
    PRIMARY KEY (namespace, action_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX action_by_age ON action (namespace, done_ms);

CREATE TRIGGER action_stands BEFORE UPDATE ON action
BEGIN SELECT RAISE(ABORT, 'the first outcome of an act stands'); END;

-- Who may ask for what over the API. The hash leads no namespace: it is what tells it.
CREATE TABLE token (
    seq         INTEGER PRIMARY KEY,
    namespace   TEXT NOT NULL,
    token_id    TEXT NOT NULL CHECK (token_id <> ''),
    name        TEXT NOT NULL,
    person      TEXT,
    verbs       TEXT NOT NULL CHECK (verbs <> ''),
    hash        BLOB NOT NULL CHECK (length(hash) = 32),
    created_by  TEXT NOT NULL,
    created_ms  INTEGER NOT NULL,
    revoked_by  TEXT,
    revoked_ms  INTEGER,
    -- Approving is a person's.
    CHECK (person IS NOT NULL OR instr(' ' || verbs || ' ', ' approve ') = 0),
    CHECK ((revoked_by IS NULL) = (revoked_ms IS NULL))
) STRICT;
CREATE UNIQUE INDEX token_by_id ON token (namespace, token_id);
CREATE UNIQUE INDEX token_by_hash ON token (hash);

CREATE TRIGGER token_stands
BEFORE UPDATE OF namespace, token_id, name, person, verbs, hash, created_by, created_ms ON token
BEGIN SELECT RAISE(ABORT, 'what a token opens never changes'); END;

CREATE TRIGGER token_revoked_once BEFORE UPDATE OF revoked_by, revoked_ms ON token WHEN OLD.revoked_ms IS NOT NULL
BEGIN SELECT RAISE(ABORT, 'a revoked token stays revoked'); END;

CREATE TRIGGER token_stays BEFORE DELETE ON token
BEGIN SELECT RAISE(ABORT, 'the record of a token stays'); END;

-- What ends windows that no clock ends, such as the next successful sync.
CREATE TABLE marker (
    namespace  TEXT NOT NULL,
    name       TEXT NOT NULL,
    set_ms     INTEGER NOT NULL,
    set_by     TEXT NOT NULL,
    PRIMARY KEY (namespace, name)
) STRICT, WITHOUT ROWID;

CREATE TRIGGER marker_goes_forward BEFORE UPDATE ON marker WHEN NEW.set_ms < OLD.set_ms
BEGIN SELECT RAISE(ABORT, 'a marker never goes back'); END;

-- Up to which original time events of a step have been forgotten. What is older and not found is never new, also where
-- the window has become longer since.
CREATE TABLE horizon (
    namespace  TEXT NOT NULL,
    step       TEXT NOT NULL,
    until_ms   INTEGER NOT NULL,
    PRIMARY KEY (namespace, step)
) STRICT, WITHOUT ROWID;

CREATE TRIGGER horizon_goes_forward BEFORE UPDATE ON horizon WHEN NEW.until_ms < OLD.until_ms
BEGIN SELECT RAISE(ABORT, 'what is forgotten stays forgotten'); END;

CREATE TRIGGER horizon_stays BEFORE DELETE ON horizon
BEGIN SELECT RAISE(ABORT, 'what is forgotten stays forgotten'); END;

-- Events without an original time, of which nothing but the key is left: no time tells that they are not new.
CREATE TABLE tombstone (
    namespace   TEXT NOT NULL,
    root_key    BLOB NOT NULL CHECK (length(root_key) = 32),
    expired_ms  INTEGER NOT NULL,
    PRIMARY KEY (namespace, root_key)
) STRICT, WITHOUT ROWID;

CREATE TRIGGER tombstone_stays BEFORE DELETE ON tombstone
BEGIN SELECT RAISE(ABORT, 'what is forgotten stays forgotten'); END;

-- What the planner goes by. Without figures it takes ten rows for what a namespace has of anything, and then reads all of a
-- namespace's rows rather than those of one work: each work that is forgotten would look at 10^6 items. These figures are
-- those of a ledger of 10^6 works, and never change: how a statement finds its rows does not depend on what there happens to be.
-- For each index: its rows, and how many of them are alike in its first column, in its first two, and so on.
ANALYZE sqlite_schema;
INSERT INTO sqlite_stat1 (tbl, idx, stat) VALUES
    ('work', 'work_by_id', '1000000 1000000 1'),
    ('work', 'work_by_root', '1000000 1000000 2 1 1 1 1'),
    ('event_raw', 'event_raw_by_id', '1000000 1000000 1'),
    ('quarantine', 'quarantine_by_id', '1000000 1000000 1'),
    ('quarantine', 'quarantine_by_content', '1000000 1000000 1000000 2 1'),
    ('quarantine', 'quarantine_by_first', '1000000 1000000 2'),
    ('decision', 'decision_by_question', '1000000 1000000 1'),
    ('decision', 'decision_by_age', '1000000 1000000 2'),
    ('decision_pin', 'decision_pin', '1000000 1 1'),
    ('decision_pin', 'decision_pin_newest', '1000000 1000000 2'),
    ('decision_pin', 'decision_pin_by_answer', '1000000 2'),
    ('decision_former', 'decision_former', '1000000 1 1 1'),
    ('decision_former', 'decision_former_by_answer', '1000000 2'),
    ('intent', 'intent', '1000000 1000000 1 1 1'),
    ('outbox', 'outbox_by_id', '1000000 1000000 1'),
    ('outbox', 'outbox_by_work', '1000000 1'),
    ('item', 'item', '1000000 1000000 100000 1'),
    ('item', 'item_by_work', '1000000 1000000 10'),
    ('progress', 'progress', '1000000 1000000 1'),
    ('progress', 'progress_by_stage', '1000000 1000000 100000 2'),
    ('evidence', 'evidence_by_work', '1000000 5 1'),
    ('action', 'action', '1000000 1000000 1'),
    ('action', 'action_by_age', '1000000 1000000 2');
ANALYZE sqlite_schema;
