//! The machine's clock jumps by hours, to both sides, while rows wait and runs are under way. The store's time follows a jump
//! ahead at once; after a jump back it stands still until the clock has caught up, and never goes back itself.

use crate::protocol::{case, enqueuer, receiver, slow, with_rows};
use onceward::dispatch::end::End;
use onceward::store::outbox::RowState;
use support::host::{KEY_RETENTION_MS, TestHost};
use support::receiver::Receiver;
use tempfile::TempDir;

/// How far the clock jumps, in milliseconds.
const HOURS_MS: i64 = 7 * 3_600_000;

/// A receiver that loses the first reply, and a host whose row waits for its second attempt.
async fn waiting() -> (TempDir, Receiver, TestHost) {
    let dir = tempfile::tempdir().expect("a temporary folder");
    let receiver = receiver(dir.path());
    receiver.fault(&["lose-reply"]).expect("a fault");
    let host = with_rows(enqueuer(dir.path(), &receiver).delivery_retry(slow()), &["a"]).await;
    host.deliver().await;
    let row = host.row().await;
    assert!(row.maybe_applied && row.state == RowState::Pending, "{row:?}");
    (dir, receiver, host)
}

#[tokio::test]
async fn a_clock_set_back_by_hours_while_a_row_waits_delays_it_doubles_nothing_and_stops_nothing_new() {
    let (_dir, receiver, host) = waiting().await;
    host.clock.advance(-HOURS_MS);
    assert!(host.deliver().await.attempts.is_empty(), "its time has not come");
    // What is new is due at the time that stands still.
    host.done("enqueues", &case("b")).await;
    host.deliver().await;
    assert_eq!(host.row_states().await, [RowState::Pending, RowState::Sent]);
    host.clock.advance(HOURS_MS);
    host.deliver_off().await;
    assert_eq!(host.row_states().await, [RowState::Sent, RowState::Sent]);
    let counts = receiver.counts().await.expect("the receiver's file");
    assert_eq!((counts.created, counts.replayed, counts.bodies), (2, 1, 1), "{counts:?}");
}

#[tokio::test]
async fn a_clock_set_ahead_by_hours_while_a_row_waits_sends_it_once_and_never_after_its_key_is_forgotten() {
    let (_dir, receiver, host) = waiting().await;
    host.clock.advance(HOURS_MS);
    host.deliver().await;
    assert_eq!(host.row().await.state, RowState::Sent);
    assert_eq!(receiver.counts().await.expect("the receiver's file").created, 1);
    let (_dir, receiver, host) = waiting().await;
    host.clock.advance(i64::try_from(KEY_RETENTION_MS).expect("a day") + HOURS_MS);
    host.deliver().await;
    // For all the host knows a day has passed, and the receiver may take the key for a new one.
    assert_eq!(host.row().await.state, RowState::InDoubt);
    assert_eq!(receiver.counts().await.expect("the receiver's file").requests, 1);
}

#[tokio::test]
async fn a_clock_set_ahead_by_hours_during_a_run_ends_its_lease_and_the_late_run_changes_nothing() {
    let dir = tempfile::tempdir().expect("a temporary folder");
    let receiver = receiver(dir.path());
    let host = enqueuer(dir.path(), &receiver).start().await;
    let first = host.hold("enqueues", &case("a")).await.run(&host.dispatcher).await;
    host.clock.advance(HOURS_MS);
    let second = host.hold("enqueues", &case("a")).await.run(&host.dispatcher).await;
    let second = second.settle(&host.dispatcher).await.expect("the ledger works");
    assert!(second.takeover && matches!(second.end, End::Done { .. }), "{second:?}");
    let first = first.settle(&host.dispatcher).await.expect("the ledger works");
    assert!(matches!(first.end, End::LeaseLost), "{first:?}");
    host.deliver_off().await;
    assert_eq!(receiver.counts().await.expect("the receiver's file").created, 1);
}

#[tokio::test]
async fn a_clock_set_back_by_hours_during_a_run_leaves_the_work_to_it() {
    let dir = tempfile::tempdir().expect("a temporary folder");
    let receiver = receiver(dir.path());
    let host = enqueuer(dir.path(), &receiver).start().await;
    let run = host.hold("enqueues", &case("a")).await.run(&host.dispatcher).await;
    host.clock.advance(-HOURS_MS);
    assert!(host.run("enqueues", &case("a")).await.expect("the ledger works").is_err(), "it is somebody's");
    let ended = run.settle(&host.dispatcher).await.expect("the ledger works");
    assert!(matches!(ended.end, End::Done { .. }), "{ended:?}");
    host.deliver_off().await;
    assert_eq!(receiver.counts().await.expect("the receiver's file").created, 1);
}
