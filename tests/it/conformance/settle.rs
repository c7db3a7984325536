//! Settling: all of a run's outcome, or none of it.

use crate::conformance::harness::{
    ATTEMPTS, Bench, ELSEWHERE, LEASE_MS, SPACE, STEP, TERMS, actor, arrival, at, done, done_with, follow_up,
    held, retry, row, row_id, rows,
};
use onceward::store::claim::{Acquired, Arrival, Standing};
use onceward::store::decision::{DecisionQuery, Found, RulePin};
use onceward::store::item::{ItemClaim, ItemEffect, ItemVerdict};
use onceward::store::operate::WorkDecision;
use onceward::store::outbox::{RowOutcome, RowState};
use onceward::store::work::{Collected, Mark, Outcome, Settled, WorkRef, WorkState};
use support::sim_clock::START_MS;

/// Something of each kind, under these names.
fn everything(name: &str) -> Collected {
    Collected {
        rows: vec![row(name, r#"{"deal":1}"#)],
        mark: Some(Mark { stage: name.to_owned(), kept: vec![name.to_owned()], mirror: None }),
        pins: vec![RulePin { slot: name.to_owned(), answer: r#""by rule""#.to_owned() }],
        effects: vec![ItemEffect {
            key: format!("{name} done"),
            external_reference: Some("crm-1".to_owned()),
        }],
        released: vec![format!("{name} released")],
    }
}

async fn claim_items(bench: &Bench, held: &Acquired, keys: &[&str]) -> Option<Vec<ItemVerdict>> {
    let keys = keys.iter().map(|key| (*key).to_owned()).collect();
    let claim = ItemClaim { work: at(&held.work), step: STEP.to_owned(), token: held.token, keys };
    bench.store.item_claim(claim).await.expect("the store works")
}

async fn pinned(bench: &Bench, work: WorkRef, slot: &str) -> Option<String> {
    let query = DecisionQuery { work, slot: slot.to_owned(), cache_key: None };
    match bench.store.decision_find(query).await.expect("the store works").found {
        Some(Found::Pinned(pinned)) => Some(pinned.answer),
        Some(Found::Cached(_)) | None => None,
    }
}

pub(super) async fn work_settle_done_commits_everything_together(bench: Bench) {
    let held = bench.hold("a").await;
    claim_items(&bench, &held, &["x done", "x released"]).await.expect("the run holds its work");
    let next = follow_up("a", r#"{"score":7}"#);
    let outcome = Outcome::Done {
        output: r#"{"score":7}"#.to_owned(),
        needs_review: Some("look".to_owned()),
        follow_up: Some(next.clone()),
        collected: everything("x"),
    };
    assert_eq!(bench.settle_with(&held, outcome, &["took the long way"]).await, Settled::Applied);
    let work = bench.show(at(&held.work)).await;
    assert_eq!((work.state, work.output.as_deref()), (WorkState::Done, Some(r#"{"score":7}"#)));
    assert_eq!((work.needs_review.as_deref(), work.lease_until_ms), (Some("look"), None));
    let row = bench.row("x").await;
    assert_eq!((row.state, row.payload.as_str()), (RowState::Pending, r#"{"deal":1}"#));
    assert_eq!((row.work_id, row.due_ms, row.attempt), (work.work_id, Some(START_MS), 0));
    let stage = bench.store.progress_find(SPACE, work.root_key).await.expect("the store works");
    assert_eq!(stage.as_deref(), Some("x"));
    assert_eq!(pinned(&bench, at(&work), "x").await, Some(r#""by rule""#.to_owned()));
    let other = bench.hold("b").await;
    let verdicts = claim_items(&bench, &other, &["x done", "x released"]).await.expect("held");
    assert_eq!(verdicts, [ItemVerdict::Done(Some("crm-1".to_owned())), ItemVerdict::Acquired]);
    let followed = bench.show(WorkRef { namespace: SPACE.to_owned(), id: next.work_id }).await;
    assert_eq!((followed.state, followed.due_ms, followed.attempt), (WorkState::Waiting, Some(START_MS), 0));
    let kinds = bench.kinds(at(&work)).await;
    assert_eq!(kinds, ["claimed", "note", "enqueued", "progress", "decided", "items", "followed", "settled"]);
}

pub(super) async fn work_settle_s08_by_the_slow_holder_is_lease_lost_and_changes_nothing(bench: Bench) {
    let slow = bench.hold("a").await;
    claim_items(&bench, &slow, &["x done", "x released"]).await.expect("held");
    bench.advance(LEASE_MS);
    let next = bench.hold("a").await;
    let check = async |state: WorkState| {
        for outcome in [
            done_with(everything("x")),
            Outcome::Continue { cursor: "c".to_owned(), collected: everything("x") },
            retry(0),
            Outcome::Dead { cause: "slow".to_owned() },
            Outcome::Review { cause: "slow".to_owned() },
            Outcome::Reject { cause: "slow".to_owned() },
        ] {
            assert_eq!(bench.settle_with(&slow, outcome, &["slow"]).await, Settled::LeaseLost);
        }
        let work = bench.show(at(&slow.work)).await;
        assert_eq!((work.state, work.attempt, work.cause, work.cursor), (state, 2, None, None));
        assert!(bench.rows().await.is_empty());
        assert_eq!(bench.store.progress_find(SPACE, work.root_key).await.expect("the store works"), None);
        assert_eq!(pinned(&bench, at(&slow.work), "x").await, None);
        assert!(!bench.kinds(at(&slow.work)).await.contains(&"note".to_owned()));
    };
    check(WorkState::Running).await;
    let verdicts = claim_items(&bench, &next, &["x done", "x released"]).await.expect("held");
    assert_eq!(verdicts, [ItemVerdict::Acquired, ItemVerdict::Acquired]);
    assert_eq!(bench.settle(&next, done()).await, Settled::Applied);
    check(WorkState::Done).await;
}

pub(super) async fn work_settle_after_the_lease_time_holds_while_nobody_took_over(bench: Bench) {
    let slow = bench.hold("a").await;
    bench.advance(10 * LEASE_MS);
    assert_eq!(bench.settle(&slow, done_with(rows(&["x"]))).await, Settled::Applied);
    assert_eq!(bench.rows().await.len(), 1);
    assert!(matches!(bench.standing(arrival("a")).await, Standing::Done(_)));
}

pub(super) async fn work_settle_s07_of_finished_work_changes_nothing(bench: Bench) {
    let held = bench.hold("a").await;
    assert_eq!(bench.settle(&held, done()).await, Settled::Applied);
    let before = bench.show(at(&held.work)).await;
    for outcome in [done_with(rows(&["late"])), retry(0), Outcome::Dead { cause: "late".to_owned() }] {
        assert_eq!(bench.settle_with(&held, outcome, &["late"]).await, Settled::LeaseLost);
    }
    assert_eq!(format!("{:?}", bench.show(at(&held.work)).await), format!("{before:?}"));
    assert!(bench.rows().await.is_empty());
    assert_eq!(bench.kinds(at(&held.work)).await, ["claimed", "settled"]);
}

pub(super) async fn work_settle_s28_with_a_row_conflict_commits_nothing_collected(bench: Bench) {
    bench.finish("first", Collected { rows: vec![row("same", r#"{"n":1}"#)], ..Collected::default() }).await;
    let second = bench.hold("second").await;
    claim_items(&bench, &second, &["x done", "x released"]).await.expect("held");
    let next = follow_up("second", "{}");
    let mut collected = everything("x");
    collected.rows.push(row("same", r#"{"n":2}"#));
    let outcome = Outcome::Done {
        output: "{}".to_owned(),
        needs_review: None,
        follow_up: Some(next.clone()),
        collected,
    };
    let Settled::RowConflict { cause } = bench.settle_with(&second, outcome, &["seen"]).await else {
        panic!("no conflict");
    };
    assert!(cause.starts_with("row-conflict") && cause.contains(&row_id("same").to_string()), "{cause}");
    let work = bench.show(at(&second.work)).await;
    assert_eq!((work.state, work.cause.as_ref(), work.output), (WorkState::Dead, Some(&cause), None));
    let stored = bench.rows().await;
    assert_eq!((stored.len(), stored[0].payload.as_str()), (1, r#"{"n":1}"#));
    assert_eq!(bench.store.progress_find(SPACE, work.root_key).await.expect("the store works"), None);
    assert_eq!(pinned(&bench, at(&second.work), "x").await, None);
    let followed = WorkRef { namespace: SPACE.to_owned(), id: next.work_id };
    assert!(bench.store.work_show(followed).await.expect("the store works").is_none());
    assert_eq!(bench.kinds(at(&second.work)).await, ["claimed", "note", "settled"]);
    let third = bench.hold("third").await;
    let verdicts = claim_items(&bench, &third, &["x done"]).await.expect("held");
    assert_eq!(verdicts, [ItemVerdict::Acquired]);
    assert_eq!(bench.standing(arrival("second")).await, Standing::Dead { cause });
}

pub(super) async fn work_settle_with_one_row_twice_over_in_two_payloads_is_a_conflict(bench: Bench) {
    let held = bench.hold("a").await;
    let rows = vec![row("same", r#"{"n":1}"#), row("same", r#"{"n":2}"#)];
    let outcome =
        Outcome::Continue { cursor: "c".to_owned(), collected: Collected { rows, ..Collected::default() } };
    assert!(matches!(bench.settle(&held, outcome).await, Settled::RowConflict { .. }));
    assert!(bench.rows().await.is_empty());
}

pub(super) async fn work_settle_with_the_same_row_again_keeps_one(bench: Bench) {
    bench.finish("a", rows(&["same", "same"])).await;
    let sending = bench.take_row().await;
    let sent =
        RowOutcome::Sent { receipt: "{}".to_owned(), truncated: false, external_reference: None, flag: None };
    bench.store.outbox_settle(sending.row, sending.token, sent).await.expect("the store works");
    // Another work, and a row that has been sent: it is there, and it is not sent again.
    bench.finish("b", rows(&["same", "other"])).await;
    let states: Vec<_> = bench.rows().await.into_iter().map(|row| (row.row_id, row.state)).collect();
    assert_eq!(states, [(row_id("same"), RowState::Sent), (row_id("other"), RowState::Pending)]);
}

pub(super) async fn work_settle_without_success_commits_evidence_alone(bench: Bench) {
    let cause = || "no budget".to_owned();
    let ends = [
        (Outcome::Retry { cause: cause(), due_in_ms: 4_000 }, WorkState::Waiting, Some(START_MS + 4_000)),
        (Outcome::Retry { cause: cause(), due_in_ms: -4_000 }, WorkState::Waiting, Some(START_MS)),
        (Outcome::Retry { cause: cause(), due_in_ms: i64::MAX }, WorkState::Waiting, Some(i64::MAX)),
        (Outcome::Review { cause: cause() }, WorkState::Review, None),
        (Outcome::Reject { cause: cause() }, WorkState::Rejected, None),
        (Outcome::Dead { cause: cause() }, WorkState::Dead, None),
    ];
    for (n, (outcome, state, due_ms)) in ends.into_iter().enumerate() {
        let held = bench.hold(&n.to_string()).await;
        assert_eq!(bench.settle_with(&held, outcome, &["one", "two"]).await, Settled::Applied);
        let work = bench.show(at(&held.work)).await;
        assert_eq!((work.state, work.due_ms, work.attempt), (state, due_ms, 1));
        assert_eq!((work.cause, work.output, work.lease_until_ms), (Some(cause()), None, None));
        let evidence = bench.store.evidence_list(at(&held.work)).await.expect("the store works");
        let notes: Vec<_> =
            evidence.iter().filter(|line| line.kind == "note").map(|line| &line.detail).collect();
        assert_eq!(notes, ["one", "two"]);
    }
}

pub(super) async fn work_settle_give_back_is_as_if_the_work_had_not_been_claimed(bench: Bench) {
    let give_back = || Outcome::GiveBack { cause: "the host is stopping".to_owned() };
    let first = bench.hold("a").await;
    claim_items(&bench, &first, &["x done"]).await.expect("held");
    assert_eq!(bench.settle_with(&first, give_back(), &["half way"]).await, Settled::Applied);
    let work = bench.show(at(&first.work)).await;
    assert_eq!((work.state, work.attempt, work.budget_from_ms), (WorkState::Waiting, 0, None));
    assert_eq!((work.due_ms, work.lease_until_ms, work.cause), (Some(START_MS), None, None));
    assert_eq!(bench.settle(&first, give_back()).await, Settled::LeaseLost, "it was the holder's no more");
    // However often: the budget of attempts is never used up by it, and its time begins with the run that counts.
    for _ in 0..ATTEMPTS + 1 {
        let held = bench.take().await.expect("it is due at once");
        assert!(!held.takeover && held.work.attempt == 1, "{:?}", held.work);
        assert_eq!(bench.settle(&held, give_back()).await, Settled::Applied);
    }
    bench.advance(LEASE_MS);
    let failed = bench.take().await.expect("due");
    assert_eq!(claim_items(&bench, &failed, &["x done"]).await.expect("held"), [ItemVerdict::Acquired]);
    bench.settle(&failed, retry(0)).await;
    bench.advance(1_000);
    let second = bench.take().await.expect("due");
    bench.settle(&second, give_back()).await;
    let work = bench.show(at(&first.work)).await;
    assert_eq!((work.attempt, work.budget_from_ms), (1, Some(START_MS + LEASE_MS)), "one run counts");
    assert_eq!(work.cause.as_deref(), Some("the model is away"), "the last failure stays");
    let told = bench.store.evidence_list(at(&first.work)).await.expect("the store works");
    let last = told.last().expect("it is told");
    assert!(last.kind == "settled" && last.detail.starts_with("given back"), "{last:?}");
    assert!(last.detail.ends_with("the host is stopping"), "{last:?}");
}

pub(super) async fn work_settle_give_back_by_a_stale_holder_changes_nothing(bench: Bench) {
    let slow = bench.hold("a").await;
    bench.advance(LEASE_MS);
    let next = bench.hold("a").await;
    let outcome = Outcome::GiveBack { cause: "the host is stopping".to_owned() };
    assert_eq!(bench.settle(&slow, outcome.clone()).await, Settled::LeaseLost);
    let work = bench.show(at(&slow.work)).await;
    assert_eq!((work.state, work.attempt), (WorkState::Running, 2));
    // What a person has said in the meantime comes first.
    bench.store.work_decide(at(&next.work), WorkDecision::Cancel, actor()).await.expect("the store works");
    assert!(matches!(bench.settle(&next, outcome).await, Settled::Cancelled { .. }));
    assert_eq!(bench.show(at(&slow.work)).await.state, WorkState::Cancelled);
}

pub(super) async fn work_settle_continue_commits_the_chunk_and_frees_the_work(bench: Bench) {
    let first = bench.hold("a").await;
    claim_items(&bench, &first, &["x done", "x released"]).await.expect("held");
    let chunk = Outcome::Continue { cursor: "300".to_owned(), collected: everything("x") };
    assert_eq!(bench.settle(&first, chunk).await, Settled::Applied);
    let work = bench.show(at(&first.work)).await;
    assert_eq!((work.state, work.attempt, work.cursor.as_deref()), (WorkState::Waiting, 0, Some("300")));
    assert_eq!((bench.rows().await.len(), work.due_ms), (1, Some(START_MS)));
    assert_eq!(pinned(&bench, at(&work), "x").await, Some(r#""by rule""#.to_owned()));
    assert_eq!(bench.settle(&first, done()).await, Settled::LeaseLost);
    let second = bench.take().await.expect("it is due at once");
    assert!(!second.takeover && second.token > first.token);
    assert_eq!(bench.settle(&second, done()).await, Settled::Applied);
}

pub(super) async fn work_settle_inserts_a_follow_up_once_and_the_first_stands(bench: Bench) {
    let finish = async |id: &str, payload: &str| {
        let held = bench.hold(id).await;
        let outcome = Outcome::Done {
            output: "{}".to_owned(),
            needs_review: None,
            follow_up: Some(follow_up("shared", payload)),
            collected: Collected::default(),
        };
        assert_eq!(bench.settle(&held, outcome).await, Settled::Applied);
        held
    };
    let parent = finish("a", r#"{"n":1}"#).await;
    let id = WorkRef { namespace: SPACE.to_owned(), id: follow_up("shared", "").work_id };
    let child = bench.show(id.clone()).await;
    assert_eq!((child.root_key, child.chain_depth), (parent.work.root_key, 1));
    assert_eq!((child.source.as_str(), child.occurred_at_ms), ("form", parent.work.occurred_at_ms));
    assert_eq!((child.step.as_str(), child.payload.as_str()), ("reply", r#"{"n":1}"#));
    let taken =
        held(bench.store.work_take(SPACE, "reply", TERMS).await.expect("the store works").expect("due"));
    assert_eq!(taken.work.attempt, 1);
    bench.settle(&taken, done()).await;
    finish("b", r#"{"n":2}"#).await;
    let stands = bench.show(id.clone()).await;
    assert_eq!((stands.state, stands.payload.as_str()), (WorkState::Done, r#"{"n":1}"#));
    assert!(bench.store.work_take(SPACE, "reply", TERMS).await.expect("the store works").is_none());
    assert_eq!(bench.kinds(id).await, ["recorded", "claimed", "settled"]);
}

pub(super) async fn work_settle_shares_nothing_between_namespaces(bench: Bench) {
    bench.finish("a", Collected { rows: vec![row("same", r#"{"n":1}"#)], ..Collected::default() }).await;
    let there = held(bench.claim(Arrival { namespace: ELSEWHERE.to_owned(), ..arrival("a") }).await);
    let rows = vec![row("same", r#"{"n":2}"#)];
    let outcome = Outcome::Done {
        output: "{}".to_owned(),
        needs_review: None,
        follow_up: Some(follow_up("a", "{}")),
        collected: Collected { rows, ..Collected::default() },
    };
    assert_eq!(bench.settle(&there, outcome).await, Settled::Applied);
    assert_eq!(bench.row("same").await.payload, r#"{"n":1}"#);
    let hash = bench.store.outbox_find(ELSEWHERE, row_id("same")).await.expect("the store works");
    assert_eq!(hash.map(|found| found.payload_hash), Some(row("same", r#"{"n":2}"#).payload_hash));
    assert!(bench.store.work_take(SPACE, "reply", TERMS).await.expect("the store works").is_none());
    assert!(bench.store.work_take(ELSEWHERE, "reply", TERMS).await.expect("the store works").is_some());
}
