//! When a destination may be called: its rate, and what it asked for itself.

use crate::conformance::harness::{Bench, CRM, LEASE_MS, SPACE, row, row_id, rows, sent, take};
use onceward::store::outbox::{NextDue, RowOutcome, Take};
use onceward::store::pace::{Health, Rate};
use support::sim_clock::START_MS;

/// Ten calls a second.
const RATE: Rate = Rate { calls: 10, per_ms: 1_000 };

fn paced() -> Take {
    Take { rate: Some(RATE), ..take() }
}

/// So many rows.
async fn queue(bench: &Bench, number: usize) {
    let ids: Vec<String> = (0..number).map(|n| n.to_string()).collect();
    bench.finish("queue", rows(&ids.iter().map(String::as_str).collect::<Vec<_>>())).await;
}

pub(super) async fn outbox_take_spreads_the_calls_evenly(bench: Bench) {
    queue(&bench, 30).await;
    let mut calls = Vec::new();
    for ms in 0..2_000 {
        let taken = bench.take_rows(paced()).await.len();
        calls.extend(std::iter::repeat_n(ms, taken));
        bench.advance(1);
    }
    let apart = calls.windows(2).map(|two| two[1] - two[0]).min().expect("there were calls");
    assert!(apart >= 90, "they came in a burst: {calls:?}");
    let seconds =
        calls.iter().map(|from| calls.iter().filter(|at| (*from..from + 1_000).contains(*at)).count());
    assert!(seconds.max() <= Some(11), "the rate is ten calls: {calls:?}");
    assert!(calls.len() >= 20, "and it is used: {calls:?}");
}

pub(super) async fn outbox_take_shares_the_rate_after_reopening(bench: Bench) {
    queue(&bench, 30).await;
    assert_eq!(bench.take_rows(paced()).await.len(), 1);
    let mut bench = bench;
    for _ in 0..5 {
        bench = bench.reopen().await;
        assert!(bench.take_rows(paced()).await.is_empty(), "a restart began a new burst");
    }
    bench.advance(100);
    // What the last process was sending comes first, and counts as well.
    assert_eq!(bench.take_rows(paced()).await.len(), 1);
    assert!(bench.take_rows(paced()).await.is_empty());
}

pub(super) async fn outbox_take_saves_no_calls_up(bench: Bench) {
    queue(&bench, 30).await;
    bench.take_rows(paced()).await;
    bench.advance(1_000 * LEASE_MS);
    assert_eq!(bench.take_rows(paced()).await.len(), 1, "an idle hour is no licence for a burst");
}

pub(super) async fn outbox_take_counts_the_questions_around_a_repeat_as_calls(bench: Bench) {
    bench.finish("a", rows(&["r"])).await;
    let asks = Take { patient: true, limit: 1, ..paced() };
    bench.take_rows(asks.clone()).await;
    bench.advance(LEASE_MS);
    let repeat = bench.take_rows(asks.clone()).await.remove(0);
    assert!(repeat.maybe_applied, "it is asked about, sent, and asked about again");
    bench.finish("b", rows(&["next"])).await;
    for _ in 0..2 {
        bench.advance(100);
        assert!(bench.take_rows(asks.clone()).await.is_empty());
    }
    bench.advance(100);
    assert_eq!(bench.take_rows(asks).await.len(), 1);
}

pub(super) async fn outbox_settle_with_a_wait_stops_the_whole_destination(bench: Bench) {
    let wait = Health::Unwell { waits_ms: Some(60_000) };
    let cause = || "429".to_owned();
    for (at, outcome) in [
        asked_to_wait(60_000),
        RowOutcome::Blocked { cause: cause(), maybe_applied: false, health: wait },
        RowOutcome::InDoubt { cause: cause(), health: wait },
    ]
    .into_iter()
    .enumerate()
    {
        let (asked, other) = (format!("asked {at}"), format!("other {at}"));
        let mut mail = row(&format!("mail {at}"), "{}");
        mail.destination = "mail".to_owned();
        bench.enqueue(vec![row(&asked, "{}"), row(&other, "{}"), mail]).await;
        let first = bench.take_rows(Take { limit: 1, ..take() }).await.remove(0);
        bench.settle_row(&first, outcome).await;
        assert!(
            bench.take_rows(take()).await.is_empty(),
            "another row was sent, and would be refused as well"
        );
        let mail = bench.take_rows(Take { destination: "mail".to_owned(), ..take() }).await;
        assert_eq!(mail.len(), 1, "another destination was stopped");
        bench.settle_row(&mail[0], sent()).await;
        let due =
            bench.store.outbox_next_due(SPACE, CRM).await.expect("the store works").expect("a row waits");
        assert_eq!(due.at_ms - due.row_ms, 60_000, "the row is due, and its destination is not free");
        bench.advance(59_000);
        assert!(bench.take_rows(take()).await.is_empty());
        bench.advance(1_000);
        for sending in bench.take_rows(take()).await {
            bench.settle_row(&sending, sent()).await;
        }
        assert_eq!(bench.row(&other).await.attempt, 1);
    }
}

/// Later, and the destination wants to be left alone.
fn asked_to_wait(destination_waits_ms: u64) -> RowOutcome {
    RowOutcome::Again {
        cause: "503".to_owned(),
        due_in_ms: 0,
        maybe_applied: false,
        health: Health::Unwell { waits_ms: Some(destination_waits_ms) },
    }
}

pub(super) async fn outbox_settle_with_two_waits_keeps_the_longer_one_after_reopening(bench: Bench) {
    bench.finish("a", rows(&["1", "2"])).await;
    for (sending, waits_ms) in bench.take_rows(take()).await.iter().zip([60_000, 1_000]) {
        bench.settle_row(sending, asked_to_wait(waits_ms)).await;
    }
    let bench = bench.reopen().await;
    bench.advance(59_000);
    assert!(bench.take_rows(take()).await.is_empty());
    bench.advance(1_000);
    assert_eq!(bench.take_ids(take()).await, [row_id("1"), row_id("2")]);
}

pub(super) async fn outbox_settle_with_a_wait_beyond_all_times_is_no_overflow(bench: Bench) {
    bench.finish("a", rows(&["1"])).await;
    bench.settle_row(&bench.take_row().await, asked_to_wait(u64::MAX)).await;
    assert!(bench.take_rows(take()).await.is_empty());
    let due = bench.store.outbox_next_due(SPACE, CRM).await.expect("the store works").expect("a row waits");
    assert!(due.at_ms > START_MS + 1_000 * LEASE_MS);
}

pub(super) async fn outbox_next_due_of_a_paced_row_is_when_its_destination_is_free(bench: Bench) {
    queue(&bench, 2).await;
    bench.take_rows(paced()).await;
    let due = bench.store.outbox_next_due(SPACE, CRM).await.expect("the store works");
    assert_eq!(due, Some(NextDue { row_ms: START_MS, at_ms: START_MS + 100, resting: false }));
    bench.advance(100);
    assert_eq!(bench.take_rows(paced()).await.len(), 1, "it keeps its word");
}
