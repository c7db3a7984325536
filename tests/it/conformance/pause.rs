//! Pauses: what is stopped, by whom, and what goes on.

use crate::conformance::harness::{
    Bench, CRM, ELSEWHERE, LEASE_MS, SPACE, STEP, TERMS, actor, arrival, at, done, other_content, retry,
    rows, sent, take,
};
use onceward::store::claim::{Arrival, Claim, Standing};
use onceward::store::operate::Actor;
use onceward::store::outbox::{RowOutcome, RowSettled, RowState, Take};
use onceward::store::pause::PauseScope;
use onceward::store::work::{Settled, WorkState};
use support::sim_clock::START_MS;

pub(super) async fn pause_lift_lets_a_paused_destination_go_on(bench: Bench) {
    let crm = || PauseScope::Destination(CRM.to_owned());
    assert!(!bench.unpause(SPACE, crm()).await, "it was not paused");
    let mut collected = rows(&["r", "behind", "mail"]);
    collected.rows[2].destination = "mail".to_owned();
    bench.finish("a", collected).await;
    let sending = bench.take_rows(Take { limit: 1, ..take() }).await.remove(0);
    assert_eq!(
        bench.settle_row(&sending, RowOutcome::Paused { cause: "401".to_owned() }).await,
        RowSettled::Applied
    );
    let status = bench.store.pause_list(SPACE).await.expect("the store works");
    assert_eq!(status.len(), 1);
    assert_eq!((&status[0].scope, status[0].cause.as_str()), (&crm(), "401"));
    assert_eq!(status[0].paused_ms, START_MS);
    let stored = bench.row("r").await;
    assert_eq!((stored.state, stored.attempt, stored.maybe_applied), (RowState::Pending, 0, false));
    bench.advance(LEASE_MS);
    let bench = bench.reopen().await;
    assert!(bench.take_rows(take()).await.is_empty(), "a paused destination was called");
    let mail = bench.take_rows(Take { destination: "mail".to_owned(), ..take() }).await;
    assert_eq!(mail.len(), 1, "another destination was stopped");
    assert!(!bench.unpause(ELSEWHERE, crm()).await);
    assert!(bench.unpause(SPACE, crm()).await);
    assert!(bench.store.pause_list(SPACE).await.expect("the store works").is_empty());
    let attempts: Vec<_> = bench.take_rows(take()).await.iter().map(|sending| sending.attempt).collect();
    assert_eq!(attempts, [1, 1]);
}

pub(super) async fn pause_list_keeps_the_first_cause(bench: Bench) {
    bench.finish("a", rows(&["1", "2"])).await;
    for (sending, cause) in bench.take_rows(take()).await.into_iter().zip(["401", "403"]) {
        let paused = RowOutcome::Paused { cause: cause.to_owned() };
        bench.store.outbox_settle(sending.row, sending.token, paused).await.expect("the store works");
        bench.advance(1_000);
    }
    let paused = bench.store.pause_list(SPACE).await.expect("the store works");
    assert_eq!(paused.len(), 1);
    assert_eq!(
        (&paused[0].scope, paused[0].cause.as_str(), paused[0].paused_by.as_deref()),
        (&PauseScope::Destination(CRM.to_owned()), "401", None)
    );
    assert!(bench.store.pause_list(ELSEWHERE).await.expect("the store works").is_empty());
}

async fn pause(bench: &Bench, namespace: &str, scope: PauseScope) -> bool {
    bench.store.pause_set(namespace, scope, actor()).await.expect("the store works")
}

/// What is due of the tests' step and of their destination comes to its end; whether there was any.
async fn work_off(bench: &Bench) -> (bool, bool) {
    let work = bench.take().await;
    if let Some(work) = &work {
        assert_eq!(work.work.attempt, 2, "a pause costs no attempt");
        bench.settle(work, done()).await;
    }
    let taken = bench.take_rows(take()).await;
    for sending in &taken {
        assert_eq!(sending.attempt, 1, "a pause costs no attempt");
        bench.settle_row(sending, sent()).await;
    }
    (work.is_some(), !taken.is_empty())
}

pub(super) async fn pause_set_stops_what_it_names_and_nothing_else(bench: Bench) {
    let destination = |name: &str| PauseScope::Destination(name.to_owned());
    let step = |name: &str| PauseScope::Step(name.to_owned());
    for (number, (namespace, scope, works, rows_too)) in [
        (SPACE, destination(CRM), false, true),
        (SPACE, destination("mail"), false, false),
        (SPACE, destination(STEP), false, false),
        (SPACE, step(STEP), true, false),
        (SPACE, step("reply"), false, false),
        (SPACE, step(CRM), false, false),
        (SPACE, PauseScope::Namespace, true, true),
        (SPACE, PauseScope::Everything, true, true),
        (ELSEWHERE, destination(CRM), false, false),
        (ELSEWHERE, step(STEP), false, false),
        (ELSEWHERE, PauseScope::Namespace, false, false),
        (ELSEWHERE, PauseScope::Everything, true, true),
    ]
    .into_iter()
    .enumerate()
    {
        bench.finish(&format!("done {number}"), rows(&[&number.to_string()])).await;
        let waits = bench.hold(&format!("waits {number}")).await;
        bench.settle(&waits, retry(0)).await;
        assert!(pause(&bench, namespace, scope.clone()).await);
        let next_work = bench.store.work_next_due(SPACE, STEP).await.expect("the store works");
        let next_row = bench.store.outbox_next_due(SPACE, CRM).await.expect("the store works");
        assert_eq!((next_work.is_none(), next_row.is_none()), (works, rows_too), "{scope:?}");
        assert_eq!(work_off(&bench).await, (!works, !rows_too), "{scope:?} in {namespace}");
        // Another scope's lift does not lift it.
        assert!(!bench.unpause(namespace, destination("none")).await);
        assert_eq!(work_off(&bench).await, (false, false), "{scope:?}");
        assert!(bench.unpause(namespace, scope.clone()).await);
        assert_eq!(work_off(&bench).await, (works, rows_too), "{scope:?}: nothing is lost");
    }
}

pub(super) async fn pause_set_records_the_events_of_a_paused_step(bench: Bench) {
    let cause = || actor().reason;
    for (scope, id) in [
        (PauseScope::Step(STEP.to_owned()), "step"),
        (PauseScope::Namespace, "namespace"),
        (PauseScope::Everything, "everything"),
    ] {
        pause(&bench, SPACE, scope.clone()).await;
        assert_eq!(bench.standing(arrival(id)).await, Standing::Paused { cause: cause() });
        // A repeat is a repeat, and other content is a mismatch, as ever.
        assert_eq!(bench.standing(arrival(id)).await, Standing::Paused { cause: cause() });
        assert!(matches!(bench.standing(other_content(id)).await, Standing::Mismatch { .. }));
        assert!(bench.take().await.is_none());
        bench.advance(1_000 * LEASE_MS);
        assert!(bench.unpause(SPACE, scope).await);
        let work = bench.take().await.expect("what was recorded runs");
        assert_eq!(
            (work.work.attempt, work.work.duplicates, work.work.event_id.as_deref()),
            (1, 2, Some(id))
        );
        assert_eq!(work.work.budget_from_ms, Some(work.work.updated_ms), "with its whole time");
        assert_eq!(work.work.payload, r#"{"is":"first"}"#);
        assert_eq!(bench.settle(&work, done()).await, Settled::Applied);
    }
    pause(&bench, SPACE, PauseScope::Destination(STEP.to_owned())).await;
    bench.hold("a destination's pause stops no step").await;
}

pub(super) async fn pause_set_still_answers_what_has_ended(bench: Bench) {
    let work = bench.hold("done").await;
    bench.settle(&work, done()).await;
    let due = bench.hold("due").await;
    bench.settle(&due, retry(0)).await;
    pause(&bench, SPACE, PauseScope::Everything).await;
    assert!(matches!(bench.standing(arrival("done")).await, Standing::Done(_)));
    assert!(matches!(bench.standing(arrival("due")).await, Standing::Paused { .. }));
    let too_old = Arrival {
        window: onceward::contract::window::Window::Duration(1),
        occurred_at_ms: Some(START_MS - 3_600_000),
        ..arrival("old")
    };
    assert_eq!(bench.standing(too_old).await, Standing::TooOld);
}

pub(super) async fn pause_set_lets_what_is_under_way_come_to_its_end(bench: Bench) {
    bench.finish("a", rows(&["r"])).await;
    let (work, sending) = (bench.hold("b").await, bench.take_row().await);
    pause(&bench, SPACE, PauseScope::Everything).await;
    assert_eq!(bench.settle(&work, done()).await, Settled::Applied);
    assert_eq!(bench.settle_row(&sending, sent()).await, RowSettled::Applied);
    assert_eq!(
        (bench.show(at(&work.work)).await.state, bench.row("r").await.state),
        (WorkState::Done, RowState::Sent)
    );
}

pub(super) async fn pause_set_does_not_take_over_while_it_lasts(bench: Bench) {
    bench.finish("a", rows(&["r"])).await;
    let work = bench.hold("b").await;
    bench.take_row().await;
    pause(&bench, SPACE, PauseScope::Namespace).await;
    bench.advance(LEASE_MS);
    assert!(bench.take().await.is_none() && bench.take_rows(take()).await.is_empty());
    assert!(matches!(bench.standing(arrival("b")).await, Standing::Paused { .. }));
    assert_eq!((bench.show(at(&work.work)).await.attempt, bench.row("r").await.attempt), (1, 1));
    bench.unpause(SPACE, PauseScope::Namespace).await;
    assert!(bench.take().await.is_some_and(|work| work.takeover));
    assert_eq!(bench.take_row().await.attempt, 2);
}

pub(super) async fn pause_set_twice_is_one_pause_of_the_first_who_asked(bench: Bench) {
    assert!(pause(&bench, SPACE, PauseScope::Namespace).await);
    bench.advance(1_000);
    let sam = Actor { name: "Sam".to_owned(), reason: "me too".to_owned(), action: None };
    let again = bench.store.pause_set(SPACE, PauseScope::Namespace, sam).await;
    assert!(!again.expect("the store works"));
    // What is paused beside it is a pause of its own, and one does not lift the other.
    assert!(pause(&bench, SPACE, PauseScope::Step(STEP.to_owned())).await);
    let bench = bench.reopen().await;
    let all = bench.store.pause_list(SPACE).await.expect("the store works");
    let told: Vec<_> =
        all.iter().map(|pause| (pause.scope.word(), pause.paused_by.as_deref(), pause.paused_ms)).collect();
    assert_eq!(told, [("namespace", Some("Noor"), START_MS), ("step", Some("Noor"), START_MS + 1_000)]);
    assert_eq!(all[0].cause, "checked by hand");
    assert!(bench.unpause(SPACE, PauseScope::Namespace).await);
    assert!(!bench.unpause(SPACE, PauseScope::Namespace).await, "once");
    assert_eq!(bench.standing(arrival("a")).await, Standing::Paused { cause: "checked by hand".to_owned() });
}

pub(super) async fn pause_lift_can_be_followed_by_another_pause(bench: Bench) {
    for _ in 0..3 {
        assert!(pause(&bench, SPACE, PauseScope::Everything).await);
        assert!(matches!(bench.claim(arrival("a")).await, Claim::Answered(_)));
        // The kill switch holds in every namespace, and can be lifted from every one.
        assert_eq!(bench.store.pause_list(ELSEWHERE).await.expect("the store works").len(), 1);
        assert!(bench.unpause(ELSEWHERE, PauseScope::Everything).await);
        assert!(bench.store.pause_list(SPACE).await.expect("the store works").is_empty());
    }
    let taken = bench.store.work_take(SPACE, STEP, TERMS).await.expect("the store works");
    assert!(taken.is_some());
}
