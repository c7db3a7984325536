//! Pauses: what is stopped, by whom, and what goes on.

use crate::conformance::harness::{Bench, CRM, ELSEWHERE, LEASE_MS, SPACE, rows, take};
use onceward::store::outbox::{RowOutcome, RowSettled, RowState, Sending, Take};
use onceward::store::pause::PauseScope;
use support::sim_clock::START_MS;

async fn settle(bench: &Bench, sending: &Sending, outcome: RowOutcome) -> RowSettled {
    bench.store.outbox_settle(sending.row.clone(), sending.token, outcome).await.expect("the store works")
}

pub(super) async fn pause_lift_lets_a_paused_destination_go_on(bench: Bench) {
    let crm = || PauseScope::Destination(CRM.to_owned());
    assert!(!bench.unpause(SPACE, crm()).await, "it was not paused");
    let mut collected = rows(&["r", "behind", "mail"]);
    collected.rows[2].destination = "mail".to_owned();
    bench.finish("a", collected).await;
    let sending = bench.take_rows(Take { limit: 1, ..take() }).await.remove(0);
    assert_eq!(
        settle(&bench, &sending, RowOutcome::Paused { cause: "401".to_owned() }).await,
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
