//! Many at once: capped, spread, and each under its own id.

use crate::conformance::harness::{
    Bench, CRM, ELSEWHERE, SPACE, STEP, UNWELL, actor, arrival, at, held, row_id, rows, take,
};
use onceward::store::bulk::{Batch, RowChoice, WorkChoice};
use onceward::store::claim::Arrival;
use onceward::store::operate::RowDecision;
use onceward::store::outbox::{RowOutcome, RowState};
use onceward::store::work::{Outcome, WorkRef, WorkState};
use support::sim_clock::START_MS;

/// All dead works.
fn dead() -> WorkChoice {
    WorkChoice { namespace: SPACE.to_owned(), state: WorkState::Dead, step: None, cause: None }
}

/// All blocked rows.
fn blocked() -> RowChoice {
    RowChoice { namespace: SPACE.to_owned(), state: RowState::Blocked, destination: None, cause: None }
}

fn batch(limit: u32) -> Batch {
    Batch { limit, first_in_ms: 500, every_ms: 100 }
}

async fn replay(bench: &Bench, choice: WorkChoice, batch: Batch) -> u64 {
    bench.store.work_replay_all(choice, batch, actor()).await.expect("the store works")
}

async fn count(bench: &Bench, choice: WorkChoice) -> u64 {
    bench.store.work_choose_count(choice).await.expect("the store works")
}

async fn decide(bench: &Bench, choice: RowChoice, decision: RowDecision, batch: Batch) -> u64 {
    bench.store.outbox_decide_all(choice, decision, batch, actor()).await.expect("the store works")
}

async fn count_rows(bench: &Bench, choice: RowChoice) -> u64 {
    bench.store.outbox_choose_count(choice).await.expect("the store works")
}

/// Works that came to this end.
async fn ended(bench: &Bench, ids: &[&str], end: Outcome) {
    for id in ids {
        let held = bench.hold(id).await;
        bench.settle(&held, end.clone()).await;
    }
}

fn dies(cause: &str) -> Outcome {
    Outcome::Dead { cause: cause.to_owned() }
}

pub(super) async fn work_replay_all_spreads_the_oldest_and_leaves_the_rest(bench: Bench) {
    ended(&bench, &["a", "b", "c"], dies("429")).await;
    assert_eq!(replay(&bench, dead(), batch(2)).await, 2);
    assert_eq!(count(&bench, dead()).await, 1, "what moved has left the choice");
    for (id, due_ms) in [("a", Some(START_MS + 500)), ("b", Some(START_MS + 600)), ("c", None)] {
        let work = WorkRef { namespace: SPACE.to_owned(), id: arrival(id).current.work_id };
        let stored = bench.show(work.clone()).await;
        assert_eq!(stored.due_ms, due_ms, "{id}");
        let told = bench.store.evidence_list(work).await.expect("the store works");
        let by_person = told.iter().filter(|line| line.detail.contains("Noor says")).count();
        assert_eq!(by_person, usize::from(due_ms.is_some()), "{told:?}");
    }
    assert_eq!(replay(&bench, dead(), batch(2)).await, 1, "the same again goes on with the rest");
    assert_eq!(replay(&bench, dead(), batch(2)).await, 0);
    bench.advance(499);
    assert!(bench.take().await.is_none());
    bench.advance(1);
    assert_eq!(bench.take().await.expect("the first is due").work.attempt, 1, "with a fresh budget");
}

pub(super) async fn work_replay_all_takes_what_is_chosen_and_nothing_else(bench: Bench) {
    ended(&bench, &["a"], dies("429 too many")).await;
    ended(&bench, &["b"], dies("schema")).await;
    ended(&bench, &["r"], Outcome::Review { cause: "429 too many".to_owned() }).await;
    let elsewhere = held(bench.claim(Arrival { namespace: ELSEWHERE.to_owned(), ..arrival("a") }).await);
    bench.settle(&elsewhere, dies("429 too many")).await;
    let choices = [
        (WorkChoice { step: Some("another".to_owned()), ..dead() }, 0),
        (WorkChoice { cause: Some("%".to_owned()), ..dead() }, 0),
        (WorkChoice { state: WorkState::Running, ..dead() }, 0),
        (WorkChoice { cause: Some("too".to_owned()), step: Some(STEP.to_owned()), ..dead() }, 1),
        (WorkChoice { state: WorkState::Review, ..dead() }, 1),
        (dead(), 1),
    ];
    for (choice, expected) in choices {
        assert_eq!(replay(&bench, choice.clone(), batch(9)).await, expected, "{choice:?}");
    }
    assert_eq!(bench.show(at(&elsewhere.work)).await.state, WorkState::Dead);
}

pub(super) async fn work_choose_count_is_of_the_choice(bench: Bench) {
    ended(&bench, &["a", "b"], dies("429")).await;
    ended(&bench, &["c"], dies("schema")).await;
    assert_eq!(count(&bench, dead()).await, 3);
    assert_eq!(count(&bench, WorkChoice { cause: Some("429".to_owned()), ..dead() }).await, 2);
    assert_eq!(count(&bench, WorkChoice { namespace: ELSEWHERE.to_owned(), ..dead() }).await, 0);
}

/// Three blocked rows.
async fn with_blocked_rows(bench: &Bench) {
    bench.finish("a", rows(&["r", "s", "t"])).await;
    for (sending, cause) in bench.take_rows(take()).await.into_iter().zip(["400", "400", "404"]) {
        let outcome = RowOutcome::Blocked { cause: cause.to_owned(), maybe_applied: false, health: UNWELL };
        bench.store.outbox_settle(sending.row, sending.token, outcome).await.expect("the store works");
    }
}

pub(super) async fn outbox_decide_all_sends_again_spread_in_time(bench: Bench) {
    with_blocked_rows(&bench).await;
    let again = RowDecision::Again { due_in_ms: 0 };
    assert_eq!(decide(&bench, blocked(), again.clone(), batch(2)).await, 2);
    let due: Vec<_> = bench.rows().await.into_iter().map(|row| row.due_ms).collect();
    assert_eq!(due, [Some(START_MS + 500), Some(START_MS + 600), None]);
    bench.advance(500);
    let sending = bench.take_row().await;
    assert_eq!((sending.row.id, sending.attempt, sending.by_word), (row_id("r"), 1, true));
    assert_eq!(decide(&bench, blocked(), again, batch(9)).await, 1, "the same again goes on with the rest");
}

pub(super) async fn outbox_decide_all_cancels_what_is_chosen(bench: Bench) {
    with_blocked_rows(&bench).await;
    let chosen = RowChoice { cause: Some("404".to_owned()), destination: Some(CRM.to_owned()), ..blocked() };
    assert_eq!(decide(&bench, chosen, RowDecision::Cancel, batch(9)).await, 1);
    let elsewhere = RowChoice { destination: Some("erp".to_owned()), ..blocked() };
    assert_eq!(decide(&bench, elsewhere, RowDecision::Cancel, batch(9)).await, 0);
    let states: Vec<_> = bench.rows().await.into_iter().map(|row| row.state).collect();
    assert_eq!(states, [RowState::Blocked, RowState::Blocked, RowState::Cancelled]);
}

pub(super) async fn outbox_choose_count_is_of_the_choice(bench: Bench) {
    with_blocked_rows(&bench).await;
    assert_eq!(count_rows(&bench, blocked()).await, 3);
    assert_eq!(count_rows(&bench, RowChoice { cause: Some("400".to_owned()), ..blocked() }).await, 2);
    assert_eq!(count_rows(&bench, RowChoice { state: RowState::InDoubt, ..blocked() }).await, 0);
    assert_eq!(count_rows(&bench, RowChoice { namespace: ELSEWHERE.to_owned(), ..blocked() }).await, 0);
}
