//! What a person decides.

use crate::conformance::harness::{
    Bench, CRM, ELSEWHERE, LEASE_MS, SPACE, actor, arrival, at, blocked, done, done_with, held, in_doubt,
    retry, row_ref, rows, take,
};
use onceward::identity::key::WorkId;
use onceward::store::claim::{Arrival, Repeat, Standing};
use onceward::store::intent::IntentState;
use onceward::store::operate::{Decided, RowDecision, WorkDecision};
use onceward::store::outbox::{RowOutcome, RowRef, RowState};
use onceward::store::work::{Holder, Outcome, Settled, WorkRef, WorkState};

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
    assert_eq!(decide(&bench, at(&held.work), WorkDecision::Replay { due_in_ms: 0 }).await, Decided::Applied);
    let again = bench.hold("a").await;
    assert_eq!((again.work.work_id, again.work.attempt), (held.work.work_id, 1));
    assert!(again.token > held.token);
    // A second click finds that it has happened.
    let second = decide(&bench, at(&held.work), WorkDecision::Replay { due_in_ms: 0 }).await;
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
        for other in [WorkDecision::Replay { due_in_ms: 0 }, WorkDecision::Reject, WorkDecision::Cancel] {
            assert_eq!(decide(&bench, at(&held.work), other).await, Decided::Refused(state));
        }
    }
    let standing = bench.standing(arrival("c")).await;
    assert_eq!(standing, Standing::Cancelled);
}

pub(super) async fn work_decide_s18_cancels_a_running_work_at_its_settle_and_nothing_of_it_commits(
    bench: Bench,
) {
    let held = bench.hold("a").await;
    assert_eq!(decide(&bench, at(&held.work), WorkDecision::Cancel).await, Decided::Asked);
    assert_eq!(bench.show(at(&held.work)).await.state, WorkState::Running, "its holder goes on");
    let twice = decide(&bench, at(&held.work), WorkDecision::Cancel).await;
    assert_eq!(twice, Decided::Asked, "it was asked for before, and still stands");
    let lines = bench.store.evidence_list(at(&held.work)).await.expect("the store works");
    let asked = lines.iter().filter(|line| line.kind == "decided-by").count();
    assert_eq!(asked, 1, "{lines:?}");
    let settled = bench.settle(&held, done_with(rows(&["r"]))).await;
    assert_eq!(settled, Settled::Cancelled { cause: "Noor says: checked by hand".to_owned() });
    assert_eq!(bench.show(at(&held.work)).await.state, WorkState::Cancelled);
    assert!(bench.take_rows(take()).await.is_empty(), "a row of a cancelled run went out");
}

pub(super) async fn work_decide_cancels_a_running_work_whose_holder_has_gone(bench: Bench) {
    // Asked for in time: the takeover finds it. Asked for too late: it is cancelled at once.
    let asked = bench.hold("a").await;
    let late = bench.hold("b").await;
    assert_eq!(decide(&bench, at(&asked.work), WorkDecision::Cancel).await, Decided::Asked);
    bench.advance(LEASE_MS);
    assert_eq!(decide(&bench, at(&late.work), WorkDecision::Cancel).await, Decided::Applied);
    assert!(bench.take().await.is_none());
    for work in [at(&asked.work), at(&late.work)] {
        assert_eq!(bench.show(work).await.state, WorkState::Cancelled);
    }
    assert_eq!(bench.settle(&asked, done()).await, Settled::LeaseLost);
}

pub(super) async fn work_decide_cancels_what_a_caller_has_left_with_nothing_open(bench: Bench) {
    let with_effect = held(bench.claim(arrival_of_caller("a")).await);
    let without = held(bench.claim(Arrival { intent: None, ..arrival_of_caller("b") }).await);
    for held in [&with_effect, &without] {
        let decided = decide(&bench, at(&held.work), WorkDecision::Cancel).await;
        assert_eq!(decided, Decided::Refused(WorkState::Running), "its caller is at it");
    }
    bench.advance(LEASE_MS);
    let decided = decide(&bench, at(&with_effect.work), WorkDecision::Cancel).await;
    assert_eq!(decided, Decided::Refused(WorkState::Running), "it may have happened");
    assert_eq!(decide(&bench, at(&without.work), WorkDecision::Cancel).await, Decided::Applied);
    assert_eq!(bench.standing(arrival_of_caller("b")).await, Standing::Cancelled);
    assert_eq!(bench.settle(&without, done()).await, Settled::LeaseLost);
}

pub(super) async fn work_decide_replays_at_the_time_it_was_given(bench: Bench) {
    let held = bench.hold("a").await;
    bench.settle(&held, Outcome::Dead { cause: "used up".to_owned() }).await;
    let later = WorkDecision::Replay { due_in_ms: 7_000 };
    assert_eq!(decide(&bench, at(&held.work), later).await, Decided::Applied);
    assert!(bench.take().await.is_none());
    bench.advance(7_000);
    assert_eq!(bench.take().await.expect("it is due").work.attempt, 1);
}

pub(super) async fn work_decide_resolves_a_work_in_doubt_as_the_person_says(bench: Bench) {
    let done = WorkDecision::Done {
        output: r#"{"paid":true}"#.to_owned(),
        external_reference: Some("tx-9".to_owned()),
    };
    let cases = [
        ("d", done.clone(), WorkState::Done, IntentState::Recorded),
        ("a", WorkDecision::Again { due_in_ms: 0 }, WorkState::Waiting, IntentState::Withdrawn),
        ("x", WorkDecision::Dead, WorkState::Dead, IntentState::Open),
    ];
    for (id, decision, state, effect) in cases {
        let called = arrival_of_caller(id);
        let first = held(bench.claim(called.clone()).await);
        assert_eq!(
            decide(&bench, at(&first.work), decision.clone()).await,
            Decided::Refused(WorkState::Running)
        );
        bench.advance(LEASE_MS);
        assert!(matches!(bench.standing(called.clone()).await, Standing::InDoubt { .. }));
        let replay = WorkDecision::Replay { due_in_ms: 0 };
        let not_so = decide(&bench, at(&first.work), replay).await;
        assert_eq!(not_so, Decided::Refused(WorkState::InDoubt), "a doubt is resolved, not replayed");
        assert_eq!(decide(&bench, at(&first.work), decision.clone()).await, Decided::Applied);
        assert_eq!(decide(&bench, at(&first.work), decision).await, Decided::Refused(state));
        let intents = bench.store.effect_list(at(&first.work)).await.expect("the store works");
        let reference = (state == WorkState::Done).then_some("tx-9");
        assert_eq!((intents[0].state, intents[0].external_reference.as_deref()), (effect, reference));
        let evidence = bench.store.evidence_list(at(&first.work)).await.expect("the store works");
        assert!(
            evidence.iter().any(|line| line.detail.contains("Noor says: checked by hand")),
            "{evidence:?}"
        );
    }
    let standing = bench.standing(arrival_of_caller("d")).await;
    let first = Repeat::Original { output: r#"{"paid":true}"#.to_owned(), needs_review: None };
    assert_eq!(standing, Standing::Done(first));
    let again = held(bench.claim(arrival_of_caller("a")).await);
    assert_eq!((again.work.attempt, again.takeover), (1, false));
}

fn arrival_of_caller(id: &str) -> Arrival {
    Arrival { holder: Holder::Caller, intent: Some("pay".to_owned()), ..arrival(id) }
}

pub(super) async fn work_decide_of_nothing_and_of_another_namespace_is_unknown(bench: Bench) {
    let held = bench.hold("a").await;
    bench.settle(&held, Outcome::Dead { cause: "used up".to_owned() }).await;
    let elsewhere = WorkRef { namespace: ELSEWHERE.to_owned(), id: held.work.work_id };
    let nothing = WorkRef { namespace: SPACE.to_owned(), id: WorkId::from_bytes([7; 32]) };
    for unknown in [elsewhere, nothing] {
        assert_eq!(decide(&bench, unknown, WorkDecision::Replay { due_in_ms: 0 }).await, Decided::Unknown);
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
    assert_eq!(decide_row(&bench, "r", RowDecision::Again { due_in_ms: 0 }).await, Decided::Applied);
    let sending = bench.take_row().await;
    assert_eq!((sending.attempt, sending.maybe_applied, sending.by_word), (1, true, true));
    // The sender goes away: whoever takes over has no such word.
    bench.advance(LEASE_MS);
    let next = bench.take_row().await;
    assert_eq!((next.attempt, next.maybe_applied, next.by_word), (2, true, false));
}

pub(super) async fn outbox_decide_cancel_is_the_end_of_a_row(bench: Bench) {
    bench_with_rows(&bench, &[("b", blocked()), ("d", in_doubt())]).await;
    for id in ["b", "d"] {
        assert_eq!(decide_row(&bench, id, RowDecision::Cancel).await, Decided::Applied);
        assert_eq!(
            decide_row(&bench, id, RowDecision::Again { due_in_ms: 0 }).await,
            Decided::Refused(RowState::Cancelled)
        );
    }
    assert!(bench.take_rows(take()).await.is_empty());
    let due = bench.store.outbox_next_due(SPACE, CRM).await.expect("the store works");
    assert_eq!(due, None);
    let elsewhere = RowRef { namespace: ELSEWHERE.to_owned(), ..row_ref("b") };
    let unknown = bench.store.outbox_decide(elsewhere, RowDecision::Cancel, actor()).await;
    assert_eq!(unknown.expect("the store works"), Decided::Unknown);
}
