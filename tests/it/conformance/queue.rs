//! Work that waits for a worker: taken by state and due time.

use crate::conformance::harness::{
    ATTEMPTS, Bench, ELSEWHERE, LEASE_MS, SPACE, STEP, TERMS, at, done, retry,
};
use onceward::store::work::{Collected, Outcome, Settled, WorkState};
use support::sim_clock::START_MS;

pub(super) async fn work_take_takes_nothing_before_it_is_due(bench: Bench) {
    assert!(bench.take().await.is_none());
    let first = bench.hold("a").await;
    assert!(bench.take().await.is_none(), "running work was taken");
    bench.settle(&first, retry(5_000)).await;
    bench.advance(4_999);
    assert!(bench.take().await.is_none());
    bench.advance(1);
    let second = bench.take().await.expect("it is due");
    assert_eq!((second.work.work_id, second.work.attempt, second.takeover), (first.work.work_id, 2, false));
    assert!(second.token > first.token);
    assert!(bench.take().await.is_none(), "taken twice");
    bench.settle(&second, done()).await;
    bench.advance(100 * LEASE_MS);
    assert!(bench.take().await.is_none(), "finished work was taken");
}

pub(super) async fn work_take_takes_over_when_the_lease_has_ended(bench: Bench) {
    let slow = bench.hold("a").await;
    bench.advance(LEASE_MS);
    let next = bench.take().await.expect("the lease has ended");
    assert!(next.takeover && next.token > slow.token);
    assert_eq!(next.work.attempt, 2);
    assert_eq!(bench.settle(&slow, done()).await, Settled::LeaseLost);
    assert_eq!(bench.settle(&next, done()).await, Settled::Applied);
}

pub(super) async fn work_take_s16_finds_work_that_became_due_behind_later_work(bench: Bench) {
    let (early, late) = (bench.hold("early").await, bench.hold("late").await);
    // The later one is settled, and taken, first. The earlier one must not be passed over.
    bench.settle(&late, retry(0)).await;
    assert_eq!(bench.take().await.expect("due").work.work_id, late.work.work_id);
    bench.settle(&early, retry(0)).await;
    assert_eq!(bench.take().await.expect("due").work.work_id, early.work.work_id);
}

pub(super) async fn work_take_takes_the_longest_due_first(bench: Bench) {
    for (id, due_in_ms) in [("third", 3_000), ("first", 1_000), ("second", 2_000)] {
        let held = bench.hold(id).await;
        bench.settle(&held, retry(due_in_ms)).await;
    }
    bench.advance(3_000);
    for id in ["first", "second", "third"] {
        assert_eq!(bench.take().await.expect("due").work.event_id.as_deref(), Some(id));
    }
}

pub(super) async fn work_take_lets_work_die_whose_attempts_are_used_up(bench: Bench) {
    let mut poison = bench.hold("poison").await;
    for _ in 1..ATTEMPTS {
        bench.settle(&poison, retry(0)).await;
        poison = bench.take().await.expect("due");
    }
    assert_eq!(poison.work.attempt, ATTEMPTS);
    let alive = bench.hold("alive").await;
    bench.advance(LEASE_MS);
    // The dead one does not hide the one behind it.
    assert_eq!(bench.take().await.expect("due").work.work_id, alive.work.work_id);
    let dead = bench.show(at(&poison.work)).await;
    assert_eq!((dead.state, dead.attempt), (WorkState::Dead, ATTEMPTS));
    let cause = dead.cause.expect("dead work has a cause");
    assert!(cause.contains("attempts used up") && cause.contains("the model is away"), "{cause}");
    assert_eq!(bench.settle(&poison, done()).await, Settled::LeaseLost);
}

pub(super) async fn work_take_keeps_to_its_step_and_namespace(bench: Bench) {
    let held = bench.hold("a").await;
    bench.settle(&held, retry(0)).await;
    for (namespace, step) in [(ELSEWHERE, STEP), (SPACE, "reply")] {
        assert!(bench.store.work_take(namespace, step, TERMS).await.expect("the store works").is_none());
        assert_eq!(bench.store.work_next_due(namespace, step).await.expect("the store works"), None);
    }
    assert!(bench.take().await.is_some());
}

pub(super) async fn work_take_goes_on_where_continue_left_off(bench: Bench) {
    let first = bench.hold("a").await;
    bench.settle(&first, retry(0)).await;
    let second = bench.take().await.expect("due");
    assert_eq!(second.work.attempt, 2);
    let chunk = Outcome::Continue { cursor: "page 2".to_owned(), collected: Collected::default() };
    assert_eq!(bench.settle(&second, chunk).await, Settled::Applied);
    let third = bench.take().await.expect("continued work is due at once");
    assert_eq!((third.work.attempt, third.work.cursor.as_deref()), (1, Some("page 2")));
    // The cursor survives a failed attempt.
    bench.settle(&third, retry(0)).await;
    let fourth = bench.take().await.expect("due");
    assert_eq!((fourth.work.attempt, fourth.work.cursor.as_deref()), (2, Some("page 2")));
}

pub(super) async fn work_next_due_is_the_nearest_due_time_or_lease_end(bench: Bench) {
    let next = async || bench.store.work_next_due(SPACE, STEP).await.expect("the store works");
    assert_eq!(next().await, None);
    let first = bench.hold("a").await;
    assert_eq!(next().await, Some(START_MS + LEASE_MS));
    let second = bench.hold("b").await;
    bench.settle(&second, retry(2_000)).await;
    assert_eq!(next().await, Some(START_MS + 2_000));
    bench.settle(&first, done()).await;
    assert_eq!(next().await, Some(START_MS + 2_000));
}
