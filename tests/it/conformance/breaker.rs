//! Destinations that fail again and again: they rest, and come back one row at a time.

use crate::conformance::harness::{
    Bench, CRM, ELSEWHERE, LEASE_MS, SPACE, UNWELL, again, blocked, in_doubt, row, row_id, rows, sent, take,
};
use onceward::store::outbox::{NextDue, RowOutcome, Sending, Take};
use onceward::store::pace::{Breaker, DestinationPace, Health, Rate};
use support::sim_clock::START_MS;

const BREAKER: Breaker = Breaker { failures: 3, base_ms: 1_000, ceiling_ms: 5_000 };

/// An order that spares a destination which fails.
fn sparing() -> Take {
    Take { breaker: Some(BREAKER), ..take() }
}

/// So many rows.
async fn queue(bench: &Bench, number: usize) {
    let ids: Vec<String> = (0..number).map(|n| format!("{n:02}")).collect();
    bench.finish("queue", rows(&ids.iter().map(String::as_str).collect::<Vec<_>>())).await;
}

async fn paces(bench: &Bench) -> Vec<DestinationPace> {
    bench.store.destination_pace_list(SPACE).await.expect("the store works")
}

/// How often the destination has failed in a row, and until when it rests, in milliseconds after the beginning.
async fn pace(bench: &Bench) -> (u32, Option<i64>) {
    match &paces(bench).await[..] {
        [] => (0, None),
        [pace] => (pace.failures, pace.rests_until_ms.map(|ms| ms - START_MS)),
        several => panic!("{several:?}"),
    }
}

async fn next_due(bench: &Bench) -> NextDue {
    bench.store.outbox_next_due(SPACE, CRM).await.expect("the store works").expect("a row waits")
}

/// Take one row, and have it fail.
async fn fail_one(bench: &Bench) -> Sending {
    let sending = bench.take_rows(Take { limit: 1, ..sparing() }).await.pop().expect("a row is due");
    bench.settle_row(&sending, again(60 * LEASE_MS, false)).await;
    sending
}

/// Have the destination fail until it rests.
async fn tire(bench: &Bench) {
    for _ in 0..BREAKER.failures {
        fail_one(bench).await;
    }
    assert!(bench.take_rows(sparing()).await.is_empty(), "it rests");
}

pub(super) async fn outbox_take_rests_longer_after_each_further_failure(bench: Bench) {
    queue(&bench, 20).await;
    tire(&bench).await;
    assert_eq!(pace(&bench).await, (3, Some(1_000)));
    let mut until_ms = 0;
    for rest_ms in [1_000, 2_000, 4_000, 5_000, 5_000] {
        until_ms += rest_ms;
        let due = next_due(&bench).await;
        assert_eq!((due.row_ms, due.at_ms, due.resting), (START_MS, START_MS + until_ms, true));
        bench.advance(rest_ms - 1);
        assert!(bench.take_rows(sparing()).await.is_empty(), "{until_ms}");
        bench.advance(1);
        fail_one(&bench).await;
    }
    assert_eq!(bench.row("19").await.attempt, 0, "who waits loses no attempt");
    assert_eq!(pace(&bench).await, (8, Some(until_ms + 5_000)));
}

pub(super) async fn outbox_take_sends_one_row_at_a_time_until_one_gets_through(bench: Bench) {
    queue(&bench, 20).await;
    tire(&bench).await;
    bench.advance(1_000);
    let probe = bench.take_rows(sparing()).await;
    assert_eq!(probe.len(), 1);
    assert!(bench.take_rows(sparing()).await.is_empty(), "one is under way");
    let at_ms = next_due(&bench).await.at_ms;
    assert_eq!(at_ms, START_MS + 1_000 + LEASE_MS, "nothing can go before its sender has answered or gone");
    bench.settle_row(&probe[0], sent()).await;
    assert_eq!(pace(&bench).await, (0, None));
    let due = next_due(&bench).await;
    assert_eq!((due.at_ms, due.resting), (START_MS, false));
    assert_eq!(bench.take_rows(sparing()).await.len(), 16, "all that wait");
}

pub(super) async fn outbox_take_goes_on_with_the_next_probe_where_its_sender_has_gone(bench: Bench) {
    queue(&bench, 20).await;
    tire(&bench).await;
    bench.advance(1_000);
    assert_eq!(bench.take_rows(sparing()).await.len(), 1);
    bench.advance(LEASE_MS - 1);
    assert!(bench.take_rows(sparing()).await.is_empty());
    bench.advance(1);
    assert_eq!(bench.take_rows(sparing()).await.len(), 1);
}

pub(super) async fn outbox_settle_counts_what_says_that_the_destination_is_unwell(bench: Bench) {
    let used_up = |health| RowOutcome::Blocked { cause: "used up".to_owned(), maybe_applied: true, health };
    let in_progress = RowOutcome::Again {
        cause: "409: in progress".to_owned(),
        due_in_ms: 0,
        maybe_applied: true,
        health: Health::Well,
    };
    let withheld = RowOutcome::Withheld { cause: "the key is forgotten".to_owned(), in_doubt: true };
    queue(&bench, 40).await;
    let two = || async {
        for failures in 1..=2 {
            fail_one(&bench).await;
            assert_eq!(pace(&bench).await, (failures, None));
        }
    };
    for (outcome, failures) in [
        (again(60 * LEASE_MS, false), 3),
        (again(60 * LEASE_MS, true), 3),
        (in_doubt(), 3),
        (used_up(UNWELL), 3),
        (sent(), 0),
        (blocked(), 0),
        (in_progress, 0),
        // Nothing was sent, so that nothing was heard.
        (withheld, 2),
    ] {
        two().await;
        let sending = bench.take_rows(Take { limit: 1, ..sparing() }).await.remove(0);
        bench.settle_row(&sending, outcome.clone()).await;
        let rests = (failures == 3).then_some(1_000);
        assert_eq!(pace(&bench).await, (failures, rests), "{outcome:?}");
        let well = bench.take_rows(Take { limit: 1, breaker: None, ..take() }).await.pop();
        bench.settle_row(&well.expect("a row is due"), sent()).await;
        assert_eq!(pace(&bench).await, (0, None));
    }
}

pub(super) async fn outbox_settle_of_calls_that_began_before_a_rest_makes_it_no_longer(bench: Bench) {
    queue(&bench, 10).await;
    let all = bench.take_rows(sparing()).await;
    assert_eq!(all.len(), 10);
    for sending in &all[..9] {
        bench.settle_row(sending, again(60 * LEASE_MS, false)).await;
    }
    assert_eq!(pace(&bench).await, (3, Some(1_000)), "ten at once are one bad moment");
    bench.settle_row(&all[9], sent()).await;
    assert_eq!(pace(&bench).await, (0, None), "and one of them got through");
}

pub(super) async fn outbox_take_rests_after_reopening_and_no_other_destination(bench: Bench) {
    let mut mail = row("mail", "{}");
    mail.destination = "mail".to_owned();
    queue(&bench, 5).await;
    bench.enqueue(vec![mail]).await;
    tire(&bench).await;
    let bench = bench.reopen().await;
    assert!(bench.take_rows(sparing()).await.is_empty());
    let mail = bench.take_rows(Take { destination: "mail".to_owned(), ..sparing() }).await;
    assert_eq!(mail.len(), 1);
    bench.settle_row(&mail[0], again(0, false)).await;
    let all = paces(&bench).await;
    let failures: Vec<_> = all.iter().map(|pace| (pace.destination.as_str(), pace.failures)).collect();
    assert_eq!(failures, [(CRM, 3), ("mail", 1)]);
    assert_eq!((all[0].failed_ms, all[0].free_at_ms), (Some(START_MS), 0));
    let there = bench.store.destination_pace_list(ELSEWHERE).await.expect("the store works");
    assert!(there.is_empty(), "{there:?}");
}

pub(super) async fn outbox_take_goes_by_the_terms_that_hold_now(bench: Bench) {
    queue(&bench, 20).await;
    tire(&bench).await;
    // A longer rest, counted from the last failure.
    bench.advance(600);
    let longer = Breaker { base_ms: 3_000, ..BREAKER };
    assert!(bench.take_rows(Take { breaker: Some(longer), ..take() }).await.is_empty());
    assert_eq!(pace(&bench).await, (3, Some(3_000)));
    let patient = Breaker { failures: 4, ..BREAKER };
    let taken = bench.take_rows(Take { breaker: Some(patient), limit: 2, ..take() }).await;
    assert_eq!(taken.len(), 2, "three failures are not yet too many");
    assert_eq!(pace(&bench).await, (3, None));
    assert!(bench.take_rows(sparing()).await.is_empty());
    assert_eq!(bench.take_rows(take()).await.len(), 15, "without a breaker all go out");
    assert_eq!(pace(&bench).await, (3, None));
    for sending in &taken {
        bench.settle_row(sending, again(60 * LEASE_MS, false)).await;
    }
    assert_eq!(pace(&bench).await, (5, None), "failures are counted all the same");
}

pub(super) async fn destination_pace_list_tells_a_wait_from_a_rest(bench: Bench) {
    queue(&bench, 5).await;
    let rate = Rate { calls: 10, per_ms: 1_000 };
    let sending = bench.take_rows(Take { rate: Some(rate), ..sparing() }).await.remove(0);
    let wait = RowOutcome::Again {
        cause: "429".to_owned(),
        due_in_ms: 0,
        maybe_applied: false,
        health: Health::Unwell { waits_ms: Some(7_000) },
    };
    bench.settle_row(&sending, wait).await;
    let waits = DestinationPace {
        destination: CRM.to_owned(),
        free_at_ms: START_MS + 7_000,
        failures: 1,
        failed_ms: Some(START_MS),
        rests_until_ms: None,
    };
    assert_eq!(paces(&bench).await, [waits]);
    assert_eq!(bench.state(row_id("00")).await.word(), "pending");
}
