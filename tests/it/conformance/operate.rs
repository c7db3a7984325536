//! What a person decides.

use crate::conformance::harness::{
    Bench, CRM, ELSEWHERE, SPACE, actor, arrival, at, blocked, done, in_doubt, retry, row_ref, rows, take,
};
use onceward::identity::key::WorkId;
use onceward::store::claim::Standing;
use onceward::store::operate::{Decided, RowDecision, WorkDecision};
use onceward::store::outbox::{RowOutcome, RowRef, RowState};
use onceward::store::work::{Outcome, WorkRef, WorkState};

async fn decide(bench: &Bench, work: WorkRef, decision: WorkDecision) -> Decided<WorkState> {
    bench.store.work_decide(work, decision, actor()).await.expect("the store works")
}

async fn decide_row(bench: &Bench, id: &str, decision: RowDecision) -> Decided<RowState> {
    bench.store.outbox_decide(row_ref(id), decision, actor()).await.expect("the store works")
}

/// Rows that came to these ends.
async fn bench_with_rows(bench: &Bench, ends: &[(&str, RowOutcome)]) {
    let ids: Vec<&str> = ends.iter().map(|(id, _)| *id).collect();
    bench.finish("a", rows(&ids)).await;
    for (sending, (_, outcome)) in bench.take_rows(take()).await.iter().zip(ends) {
        let settled = bench.store.outbox_settle(sending.row.clone(), sending.token, outcome.clone()).await;
        settled.expect("the store works");
    }
}

pub(super) async fn work_decide_replays_a_dead_work_under_its_identity_with_a_fresh_budget(bench: Bench) {
    let held = bench.hold("a").await;
    bench.settle(&held, Outcome::Dead { cause: "used up".to_owned() }).await;
    assert_eq!(decide(&bench, at(&held.work), WorkDecision::Replay).await, Decided::Applied);
    let again = bench.hold("a").await;
    assert_eq!((again.work.work_id, again.work.attempt), (held.work.work_id, 1));
    assert!(again.token > held.token);
    // A second click finds that it has happened.
    let second = decide(&bench, at(&held.work), WorkDecision::Replay).await;
    assert_eq!(second, Decided::Refused(WorkState::Running));
    bench.settle(&again, done()).await;
    let kinds = bench.kinds(at(&held.work)).await;
    assert_eq!(kinds.iter().filter(|kind| *kind == "decided-by").count(), 1, "{kinds:?}");
}

pub(super) async fn work_decide_ends_what_shall_not_run_and_finished_work_stays(bench: Bench) {
    let cases = [
        ("r", Outcome::Review { cause: "unsure".to_owned() }, WorkDecision::Reject, WorkState::Rejected),
        ("c", Outcome::Review { cause: "unsure".to_owned() }, WorkDecision::Cancel, WorkState::Cancelled),
        ("w", retry(60_000), WorkDecision::Cancel, WorkState::Cancelled),
    ];
    for (id, outcome, decision, state) in cases {
        let held = bench.hold(id).await;
        bench.settle(&held, outcome).await;
        assert_eq!(decide(&bench, at(&held.work), decision).await, Decided::Applied);
        let work = bench.show(at(&held.work)).await;
        assert_eq!((work.state, work.cause.as_deref()), (state, Some("Noor says: checked by hand")));
        for other in [WorkDecision::Replay, WorkDecision::Reject, WorkDecision::Cancel] {
            assert_eq!(decide(&bench, at(&held.work), other).await, Decided::Refused(state));
        }
    }
    let standing = bench.standing(arrival("c")).await;
    assert_eq!(standing, Standing::Cancelled);
}

pub(super) async fn work_decide_of_nothing_and_of_another_namespace_is_unknown(bench: Bench) {
    let held = bench.hold("a").await;
    bench.settle(&held, Outcome::Dead { cause: "used up".to_owned() }).await;
    let elsewhere = WorkRef { namespace: ELSEWHERE.to_owned(), id: held.work.work_id };
    let nothing = WorkRef { namespace: SPACE.to_owned(), id: WorkId::from_bytes([7; 32]) };
    for unknown in [elsewhere, nothing] {
        assert_eq!(decide(&bench, unknown, WorkDecision::Replay).await, Decided::Unknown);
    }
    assert_eq!(bench.show(at(&held.work)).await.state, WorkState::Dead);
}

pub(super) async fn outbox_decide_sent_takes_the_persons_reference_for_good(bench: Bench) {
    bench_with_rows(&bench, &[("r", in_doubt())]).await;
    let decision = RowDecision::Sent { external_reference: Some("deal-9".to_owned()) };
    assert_eq!(decide_row(&bench, "r", decision.clone()).await, Decided::Applied);
    let row = bench.row("r").await;
    assert_eq!((row.state, row.external_reference.as_deref()), (RowState::Sent, Some("deal-9")));
    assert_eq!(decide_row(&bench, "r", decision).await, Decided::Refused(RowState::Sent));
    assert!(bench.take_rows(take()).await.is_empty());
}

pub(super) async fn outbox_decide_again_is_a_word_for_one_attempt(bench: Bench) {
    bench_with_rows(&bench, &[("r", in_doubt())]).await;
    assert_eq!(decide_row(&bench, "r", RowDecision::Again).await, Decided::Applied);
    let sending = bench.take_row().await;
    assert_eq!((sending.attempt, sending.maybe_applied, sending.by_word), (1, true, true));
    // The sender goes away: whoever takes over has no such word.
    bench.advance(crate::conformance::harness::LEASE_MS);
    let next = bench.take_row().await;
    assert_eq!((next.attempt, next.maybe_applied, next.by_word), (2, true, false));
}

pub(super) async fn outbox_decide_cancel_is_the_end_of_a_row(bench: Bench) {
    bench_with_rows(&bench, &[("b", blocked()), ("d", in_doubt())]).await;
    for id in ["b", "d"] {
        assert_eq!(decide_row(&bench, id, RowDecision::Cancel).await, Decided::Applied);
        assert_eq!(decide_row(&bench, id, RowDecision::Again).await, Decided::Refused(RowState::Cancelled));
    }
    assert!(bench.take_rows(take()).await.is_empty());
    let due = bench.store.outbox_next_due(SPACE, CRM).await.expect("the store works");
    assert_eq!(due, None);
    let elsewhere = RowRef { namespace: ELSEWHERE.to_owned(), ..row_ref("b") };
    let unknown = bench.store.outbox_decide(elsewhere, RowDecision::Cancel, actor()).await;
    assert_eq!(unknown.expect("the store works"), Decided::Unknown);
}
