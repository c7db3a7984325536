//! The promises hold against a direct hand: constraints and triggers refuse what the program never does.

use crate::conformance::decision::record;
use crate::conformance::harness::{
    Bench, SPACE, STEP, UNWELL, actor, arrival, at, done_with, edited, held, held_row, in_line,
    needs_approval, other_content, retry, row, row_id, saying, take,
};
use crate::sqlite::backend::SqliteBackend;
use onceward::store::claim::{Arrival, Standing};
use onceward::store::intent::EffectRecord;
use onceward::store::item::{ItemClaim, ItemEffect};
use onceward::store::operate::Actor;
use onceward::store::outbox::RowOutcome;
use onceward::store::pause::PauseScope;
use onceward::store::quarantine::{OnMismatch, QuarantineDecision};
use onceward::store::raw::Raw;
use onceward::store::work::{Collected, Holder, Mark, Outcome, Settled};
use rusqlite::Connection;
use std::sync::Arc;

/// Rows that a person has approved, has edited and has not seen, a line of two, twins of which one is suppressed, and a pause
/// that was lifted beside one that holds.
async fn asked_of_people(bench: &Bench) {
    let twin = saying("hi", row("twin", "{}"));
    let line = [saying("hi", needs_approval(in_line("head", "k"))), in_line("next", "k")];
    bench
        .enqueue(vec![held_row("approved"), held_row("edited"), line[0].clone(), line[1].clone(), twin])
        .await;
    bench.approve(row_id("approved")).await;
    bench.edit(row_id("edited"), edited(r#"{"v":2}"#)).await;
    for lifted in [true, false] {
        let scope = || PauseScope::Step("other".to_owned());
        bench.store.pause_set(SPACE, scope(), actor()).await.expect("the store works");
        if lifted {
            assert!(bench.unpause(SPACE, scope()).await);
        }
    }
}

/// A ledger with something finished of everything: work `a` is done with a sent row, a row once maybe-applied, a
/// decision, an item and progress; work `b` waits; work `c` is rejected; a caller runs work `d` and has done its effect; an event beside `c` is dropped.
async fn ledger() -> (Arc<SqliteBackend>, Connection) {
    let backend = Arc::<SqliteBackend>::default();
    let bench = Bench::new(Arc::clone(&backend)).await;
    let done = bench.hold("a").await;
    record(&bench, &done, "s", "q", "7").await;
    let keys = vec!["i".to_owned()];
    let items = ItemClaim { work: at(&done.work), step: STEP.to_owned(), token: done.token, keys };
    bench.store.item_claim(items).await.expect("the store works");
    let collected = Collected {
        rows: vec![row("sent", "{}"), row("doubt", "{}")],
        mark: Some(Mark { stage: "matched".to_owned(), kept: vec!["matched".to_owned()], mirror: None }),
        pins: Vec::new(),
        effects: vec![ItemEffect { key: "i".to_owned(), external_reference: None }],
        released: Vec::new(),
    };
    assert_eq!(bench.settle(&done, done_with(collected)).await, Settled::Applied);
    let sent =
        RowOutcome::Sent { receipt: "{}".to_owned(), truncated: false, external_reference: None, flag: None };
    let again =
        RowOutcome::Again { cause: "reset".to_owned(), due_in_ms: 0, maybe_applied: true, health: UNWELL };
    for (sending, outcome) in bench.take_rows(take()).await.into_iter().zip([sent, again]) {
        bench.store.outbox_settle(sending.row, sending.token, outcome).await.expect("the store works");
    }
    asked_of_people(&bench).await;
    let raw = Raw { bytes: vec![7], content_type: None, headers: Vec::new() };
    let waits = held(bench.claim(Arrival { raw: Some(raw), ..arrival("b") }).await);
    bench.settle(&waits, retry(0)).await;
    let rejected = bench.hold("c").await;
    bench.settle(&rejected, Outcome::Reject { cause: "spam".to_owned() }).await;
    let called = Arrival { holder: Holder::Caller, intent: Some("pay".to_owned()), ..arrival("d") };
    let called = held(bench.claim(called).await);
    let effect = EffectRecord {
        token: called.token,
        slot: "pay".to_owned(),
        external_reference: Some("tx-1".to_owned()),
    };
    bench.store.effect_record(at(&called.work), effect).await.expect("the store works");
    let colliding = Arrival { on_mismatch: OnMismatch::Quarantine, ..other_content("c") };
    let Standing::Quarantined { id } = bench.standing(colliding).await else { panic!("it is not kept") };
    let actor = Actor { name: "Noor".to_owned(), reason: "spam too".to_owned(), action: None };
    let dropped = bench.store.quarantine_decide(SPACE, id, QuarantineDecision::Drop, actor).await;
    dropped.expect("the store works");
    drop(bench);
    let connection = backend.direct();
    connection
        .execute_batch(
            "PRAGMA foreign_keys = ON;
             INSERT INTO horizon (namespace, step, until_ms) VALUES ('tests', 'qualify', 1);
             INSERT INTO tombstone (namespace, root_key, expired_ms) VALUES ('tests', zeroblob(32), 1);
             INSERT INTO marker (namespace, name, set_ms, set_by) VALUES ('tests', 'synced', 1, 'x');
             INSERT INTO action (namespace, action_id, fingerprint, outcome, done_ms)
                 VALUES ('tests', 'a1', zeroblob(32), 'true', 1);
             INSERT INTO token (namespace, token_id, name, verbs, hash, created_by, created_ms, revoked_by, revoked_ms)
                 VALUES ('tests', 't1', 'shop', 'invoke', zeroblob(32), 'x', 1, 'x', 1);",
        )
        .expect("it can be set");
    (backend, connection)
}

/// Statements of a direct hand, and what each is answered.
const REFUSED: &[(&str, &str)] = &[
    // s07: finished work.
    ("UPDATE work SET state = 'waiting', due_ms = 0 WHERE state = 'done'", "finished work never changes"),
    ("UPDATE work SET state = 'dead', cause = 'x' WHERE state = 'done'", "finished work never changes"),
    ("UPDATE work SET state = 'waiting', due_ms = 0 WHERE state = 'rejected'", "finished work never changes"),
    ("UPDATE work SET output = x'37' WHERE state = 'done'", "the first result stands"),
    ("UPDATE work SET content_hash = zeroblob(32)", "the identity of a work never changes"),
    ("UPDATE work SET root_key = zeroblob(32)", "the identity of a work never changes"),
    ("UPDATE work SET work_id = zeroblob(32)", "the identity of a work never changes"),
    ("UPDATE work SET namespace = 'elsewhere'", "the identity of a work never changes"),
    ("UPDATE work SET version = version + 1", "the identity of a work never changes"),
    ("UPDATE work SET token = token - 1 WHERE state = 'waiting'", "a later claim has a greater token"),
    ("UPDATE work SET token = NULL WHERE state = 'waiting'", "a later claim has a greater token"),
    ("UPDATE work SET holder = 'caller'", "the identity of a work never changes"),
    // What an outside caller has done.
    ("UPDATE intent SET state = 'open', closed_ms = NULL", "what has happened stays recorded"),
    ("UPDATE intent SET external_reference = 'tx-2'", "what has happened stays recorded"),
    ("UPDATE intent SET external_reference = NULL", "what has happened stays recorded"),
    // Kept events.
    ("UPDATE quarantine SET state = 'waiting', decided_by = NULL", "decided about once"),
    ("UPDATE quarantine SET content_hash = zeroblob(32)", "the identity of a kept event never changes"),
    ("UPDATE event_raw SET body = x'38'", "an event stands as it arrived"),
    ("UPDATE event_raw SET work_id = zeroblob(32)", "an event stands as it arrived"),
    ("DELETE FROM event_raw", "the event of unfinished work is never forgotten"),
    // States that make no sense.
    ("UPDATE work SET state = 'running' WHERE state = 'waiting'", "CHECK"),
    ("UPDATE work SET due_ms = NULL WHERE state = 'waiting'", "CHECK"),
    ("UPDATE work SET state = 'asleep' WHERE state = 'waiting'", "CHECK"),
    ("UPDATE work SET attempt = -1 WHERE state = 'waiting'", "CHECK"),
    ("UPDATE work SET attempt = 'many' WHERE state = 'waiting'", "cannot store TEXT value in INTEGER"),
    (
        "INSERT INTO work (namespace, work_id, root_key, root_version, step, version, readable_key, source, \
         occurred_at_ms, timed, content_hash, payload, state, attempt, due_ms, created_ms, updated_ms) \
         SELECT namespace, work_id, zeroblob(32), 1, step, version, readable_key, source, occurred_at_ms, timed, \
         content_hash, payload, 'waiting', 0, 0, 0, 0 FROM work LIMIT 1",
        "UNIQUE constraint failed: work.namespace, work.work_id",
    ),
    // Rows.
    ("UPDATE outbox SET state = 'pending', receipt = NULL, due_ms = 0 WHERE state = 'sent'", "a sent row"),
    ("UPDATE outbox SET payload = x'37'", "the first payload of a row stands"),
    ("UPDATE outbox SET payload_hash = zeroblob(32)", "the first payload of a row stands"),
    ("UPDATE outbox SET destination = 'other'", "the first payload of a row stands"),
    ("UPDATE outbox SET envelope = 'other'", "what was sent first is sent again"),
    ("UPDATE outbox SET envelope = NULL", "what was sent first is sent again"),
    ("UPDATE outbox SET maybe_applied = 0 WHERE maybe_applied = 1", "a row once maybe-applied stays so"),
    ("UPDATE outbox SET token = token - 1", "a later take has a greater token"),
    ("UPDATE outbox SET state = 'sent', due_ms = NULL WHERE state = 'pending'", "CHECK"),
    // What a person must approve, and has approved.
    ("UPDATE outbox SET state = 'pending', due_ms = 0 WHERE state = 'held'", "CHECK"),
    ("UPDATE outbox SET state = 'blocked', cause = 'x' WHERE state = 'held'", "CHECK"),
    ("UPDATE outbox SET approved_by = 'Noor' WHERE state = 'held'", "CHECK"),
    ("UPDATE outbox SET approval_reason = NULL", "the first payload of a row stands"),
    ("UPDATE outbox SET approval_until_ms = 0", "the first payload of a row stands"),
    ("UPDATE outbox SET approved_by = 'Sam' WHERE approved_by = 'Noor'", "the first approval stands"),
    ("UPDATE outbox SET approved_ms = 0 WHERE approved_by = 'Noor'", "the first approval stands"),
    (
        "UPDATE outbox SET approved_by = NULL, approved_ms = NULL WHERE approved_by = 'Noor'",
        "the first approval stands",
    ),
    ("UPDATE outbox SET state = 'held' WHERE state = 'superseded'", "a sent row is never taken again"),
    ("UPDATE outbox SET revision = 3 WHERE revision = 2", "the first payload of a row stands"),
    ("UPDATE outbox SET base_id = row_id WHERE revision = 2", "the first payload of a row stands"),
    ("UPDATE outbox SET created_ms = 0", "the first payload of a row stands"),
    (
        "INSERT INTO outbox (namespace, row_id, base_id, revision, work_id, work_seq, destination, slot, effect_version, \
         payload, payload_hash, place, behind, approval_reason, state, created_ms, updated_ms) \
         SELECT namespace, zeroblob(32), base_id, 3, work_id, work_seq, destination, slot, effect_version, payload, \
         payload_hash, place, 0, approval_reason, 'held', 0, 0 FROM outbox WHERE revision = 2",
        "UNIQUE constraint failed: outbox.namespace, outbox.base_id",
    ),
    (
        "INSERT INTO outbox (namespace, row_id, base_id, revision, work_id, work_seq, destination, slot, effect_version, \
         payload, payload_hash, place, behind, approval_reason, state, created_ms, updated_ms) \
         SELECT namespace, zeroblob(32), row_id, 2, work_id, work_seq, destination, slot, effect_version, payload, \
         payload_hash, place, 0, approval_reason, 'held', 0, 0 FROM outbox WHERE revision = 1 AND state = 'held'",
        "one revision of a row is live",
    ),
    // Lines and texts.
    ("UPDATE outbox SET behind = 0 WHERE behind = 1", "UNIQUE"),
    (
        "UPDATE outbox SET state = 'sending', due_ms = NULL, lease_until_ms = 1, token = 99, envelope = 'e', \
         first_attempt_ms = 1 WHERE behind = 1",
        "CHECK",
    ),
    ("UPDATE outbox SET place = 0", "the first payload of a row stands"),
    ("UPDATE outbox SET ordering_key = 'other'", "the first payload of a row stands"),
    ("UPDATE outbox SET same_key = zeroblob(32)", "the first payload of a row stands"),
    ("UPDATE outbox SET same_within_ms = 1", "the first payload of a row stands"),
    ("UPDATE outbox SET suppressed_by = NULL WHERE state = 'suppressed'", "CHECK"),
    ("UPDATE outbox SET receipt_step = 'other', receipt_version = 1", "the first payload of a row stands"),
    // Pauses.
    ("UPDATE pause SET cause = 'x' WHERE lifted_ms IS NOT NULL", "a lifted pause never changes"),
    (
        "UPDATE pause SET lifted_by = NULL, lifted_ms = NULL WHERE lifted_ms IS NOT NULL",
        "a lifted pause never changes",
    ),
    ("UPDATE pause SET paused_by = 'Sam' WHERE lifted_ms IS NULL", "the first cause of a pause stands"),
    (
        "INSERT INTO pause (namespace, scope, name, cause, paused_ms) \
         SELECT namespace, scope, name, cause, paused_ms FROM pause WHERE lifted_ms IS NULL",
        "UNIQUE",
    ),
    // Tokens and time.
    ("UPDATE sequence SET token = 0", "never go back"),
    ("UPDATE sequence SET now_ms = 0", "never go back"),
    ("UPDATE sequence SET ledger_id = randomblob(16)", "never go back"),
    ("DELETE FROM sequence", "never reset"),
    // What was recorded.
    ("UPDATE evidence SET detail = 'it never happened'", "evidence is never changed"),
    ("UPDATE decision SET answer = x'38'", "the first recorded answer stands"),
    ("UPDATE decision_pin SET slot = 't'", "the first pin stands"),
    ("UPDATE decision_pin SET answer_seq = NULL, origin = NULL", "the first pin stands"),
    ("UPDATE decision_pin SET origin = 'rule'", "the first pin stands"),
    ("UPDATE decision_pin SET work_seq = work_seq + 1", "the first pin stands"),
    ("UPDATE outbox SET work_seq = work_seq + 1", "the first payload of a row stands"),
    ("UPDATE decision_pin SET revision = 2, answer_seq = NULL, origin = NULL", "effects are committed"),
    ("UPDATE decision_pin SET approved_ms = 1", "CHECK"),
    (
        "UPDATE decision_pin SET held_ms = 1, approved_ms = 1, approved_by = 'a', rejected_ms = 1, rejected = 'b'",
        "CHECK",
    ),
    ("UPDATE decision_pin SET held_ms = 1, rejected_ms = 1", "CHECK"),
    ("UPDATE model_total SET cost_micros = cost_micros - 1", "what was spent stays spent"),
    ("DELETE FROM decision", "FOREIGN KEY"),
    ("UPDATE item SET done = 0", "a finished item never changes"),
    // Erasing is the one way in which a payload goes, and it is for what has ended.
    ("UPDATE work SET payload = x'37'", "the payload of a work stands"),
    ("UPDATE work SET erased_ms = 1 WHERE state = 'waiting'", "CHECK"),
    ("UPDATE outbox SET erased_ms = 1 WHERE state = 'pending'", "CHECK"),
    ("UPDATE outbox SET receipt = x'37' WHERE state = 'sent'", "the receipt of a sent row stands"),
    (
        "UPDATE outbox SET payload_hash = zeroblob(32), erased_ms = 1 WHERE state = 'sent'",
        "the first payload",
    ),
    ("UPDATE decision SET cache_key = zeroblob(32), erased_ms = 1", "the first recorded answer stands"),
    // What is kept, and what stays forgotten.
    ("DELETE FROM work WHERE state = 'waiting'", "unfinished work is never forgotten"),
    ("UPDATE quarantine SET window_ms = 1", "the identity of a kept event never changes"),
    ("DELETE FROM outbox WHERE state = 'pending'", "a row that is not settled is never forgotten"),
    ("UPDATE work SET window_ms = 1", "the identity of a work never changes"),
    ("UPDATE horizon SET until_ms = 0", "what is forgotten stays forgotten"),
    ("DELETE FROM horizon", "what is forgotten stays forgotten"),
    ("DELETE FROM tombstone", "what is forgotten stays forgotten"),
    (
        "INSERT INTO token (namespace, token_id, name, verbs, hash, created_by, created_ms) \
         VALUES ('tests', 't2', 'agent', 'operate approve', randomblob(32), 'x', 1)",
        "CHECK",
    ),
    ("UPDATE token SET verbs = 'admin'", "what a token opens never changes"),
    ("UPDATE token SET namespace = 'elsewhere'", "what a token opens never changes"),
    ("UPDATE token SET revoked_by = NULL, revoked_ms = NULL", "a revoked token stays revoked"),
    ("DELETE FROM token", "the record of a token stays"),
    ("UPDATE action SET outcome = 'false'", "the first outcome of an act stands"),
    ("UPDATE marker SET set_ms = 0", "a marker never goes back"),
];

#[tokio::test]
async fn s07_a_direct_hand_can_not_break_a_promise() {
    let (_folder, connection) = ledger().await;
    for (sql, why) in REFUSED {
        match connection.execute(sql, []) {
            Ok(changed) => panic!("{sql}: changed {changed} rows"),
            Err(refused) => assert!(refused.to_string().contains(why), "{sql}: {refused}"),
        }
    }
}

#[tokio::test]
async fn what_a_person_has_said_about_a_decision_stands_against_a_direct_hand() {
    let (_folder, connection) = ledger().await;
    let say = |sql: &str| connection.execute(sql, []);
    say("UPDATE decision_pin SET held_ms = 5, expires_ms = 9").unwrap();
    for (sql, why) in [
        ("UPDATE decision_pin SET expires_ms = 10", "stands"),
        ("UPDATE decision_pin SET held_ms = NULL, expires_ms = NULL", "stands"),
        ("UPDATE decision_pin SET approved_ms = 10, approved_by = 'a'", "expired is not approved"),
    ] {
        assert!(say(sql).unwrap_err().to_string().contains(why), "{sql}");
    }
    say("UPDATE decision_pin SET approved_ms = 9, approved_by = 'a'").unwrap();
    for sql in [
        "UPDATE decision_pin SET approved_by = 'b'",
        "UPDATE decision_pin SET approved_ms = NULL, approved_by = NULL",
    ] {
        assert!(say(sql).unwrap_err().to_string().contains("stands"), "{sql}");
    }
}

#[tokio::test]
async fn a_direct_hand_renews_a_decision_in_one_way_alone() {
    let backend = Arc::<SqliteBackend>::default();
    let bench = Bench::new(Arc::clone(&backend)).await;
    let held = bench.hold("a").await;
    record(&bench, &held, "s", "q", "1").await;
    bench.settle(&held, retry(0)).await;
    drop(bench);
    let connection = backend.direct();
    for sql in [
        "UPDATE decision_pin SET revision = 2",
        "UPDATE decision_pin SET revision = 3, answer_seq = NULL, origin = NULL",
    ] {
        let refused = connection.execute(sql, []).unwrap_err().to_string();
        assert!(refused.contains("the next revision, and open"), "{sql}: {refused}");
    }
    connection.execute("UPDATE decision_pin SET revision = 2, answer_seq = NULL, origin = NULL", []).unwrap();
    let back = connection.execute("UPDATE decision_pin SET revision = 1", []).unwrap_err().to_string();
    assert!(back.contains("the next revision, and open"), "{back}");
}

#[tokio::test]
async fn what_is_erased_stays_erased() {
    let (_folder, connection) = ledger().await;
    for (erase, undo) in [
        (
            "UPDATE work SET payload = x'37', output = x'37', erased_ms = 1 WHERE state = 'done'",
            [
                "UPDATE work SET erased_ms = NULL WHERE state = 'done'",
                "UPDATE work SET payload = x'38' WHERE state = 'done'",
            ],
        ),
        (
            "UPDATE outbox SET payload = x'37', receipt = x'37', erased_ms = 1 WHERE state = 'sent'",
            [
                "UPDATE outbox SET erased_ms = NULL WHERE state = 'sent'",
                "UPDATE outbox SET payload = x'38' WHERE state = 'sent'",
            ],
        ),
    ] {
        assert!(matches!(connection.execute(erase, []), Ok(1..)), "{erase}");
        for sql in undo {
            let refused = connection.execute(sql, []).expect_err(sql).to_string();
            assert!(refused.contains("stays erased") || refused.contains("stands"), "{sql}: {refused}");
        }
    }
}

/// A statement that matches no row would be refused by nothing: the ledger above has what they are about.
#[tokio::test]
async fn the_ledger_of_the_triggers_holds_what_they_are_about() {
    let (_folder, connection) = ledger().await;
    for (table, condition) in [
        ("work", "state = 'done' AND readable_key LIKE '%:a'"),
        ("work", "state = 'waiting' AND token > 0"),
        ("work", "state = 'rejected'"),
        ("outbox", "state = 'sent'"),
        ("outbox", "state = 'pending' AND maybe_applied = 1"),
        ("decision", "true"),
        ("decision_pin", "true"),
        ("model_total", "cost_micros = 7"),
        ("item", "done = 1"),
        ("quarantine", "state = 'dropped'"),
        ("intent", "state = 'recorded' AND external_reference = 'tx-1'"),
        ("event_raw", "body = x'07'"),
        ("progress", "stage = 'matched'"),
        ("outbox", "approved_by = 'Noor'"),
        ("outbox", "state = 'superseded'"),
        ("outbox", "state = 'held' AND revision = 2"),
        ("outbox", "behind = 1"),
        ("outbox", "state = 'suppressed'"),
        ("pause", "lifted_ms IS NULL AND paused_by = 'Noor'"),
        ("pause", "lifted_by LIKE 'Noor: %'"),
        ("horizon", "true"),
        ("tombstone", "true"),
        ("marker", "true"),
        ("action", "true"),
        ("token", "true"),
    ] {
        let sql = format!("SELECT count(*) FROM {table} WHERE {condition}");
        let count: i64 = connection.query_row(&sql, [], |row| row.get(0)).unwrap();
        assert_eq!(count, 1, "{table} where {condition}");
    }
}
