//! Deliveries beside each other: a place that is free takes the next row, and there are never more than there are places.

use crate::protocol::case;
use crate::protocol::connectors::Paused;
use crate::protocol::enqueuer;
use crate::protocol::receiver;
use crate::protocol::with_rows;
use onceward::connectors::Envelope;
use onceward::store::outbox::RowState;
use std::sync::Arc;
use std::time::Duration;
use support::host::TestHost;
use support::receiver::Receiver;
use tempfile::TempDir;
use tokio::sync::Notify;

/// How many requests a destination of the tests is sent at once.
const PLACES: usize = 4;

/// Ten rows before a destination that does not answer its first request.
const CASES: [&str; 10] = ["0", "1", "2", "3", "4", "5", "6", "7", "8", "9"];

/// What never comes is told as that, and not as a test without end.
const PATIENCE: Duration = Duration::from_secs(30);

struct Slow {
    host: TestHost,
    connector: Arc<Paused>,
    receiver: Receiver,
    _dir: TempDir,
}

async fn slow(cases: &[&str]) -> Slow {
    let dir = tempfile::tempdir().expect("a temporary folder");
    let receiver = receiver(dir.path());
    let connector = Paused::new();
    let builder = enqueuer(dir.path(), &receiver)
        .crm(Envelope::new(receiver.url("/deals")), Arc::clone(&connector) as _);
    Slow { host: with_rows(builder, cases).await, connector, receiver, _dir: dir }
}

impl Slow {
    async fn states(&self, state: RowState) -> usize {
        self.host.rows().await.iter().filter(|row| row.state == state).count()
    }

    async fn until_passed(&self, number: usize) {
        let passed = tokio::time::timeout(PATIENCE, self.connector.until_passed(number)).await;
        passed.expect("the others go out beside the slow one");
    }
}

#[tokio::test]
async fn a_slow_request_holds_up_none_of_the_others() {
    let slow = slow(&CASES).await;
    let report = async {
        tokio::join!(slow.host.deliver(), async {
            slow.until_passed(CASES.len() - 1).await;
            slow.connector.go_on();
        })
    };
    let (report, ()) = report.await;
    assert_eq!((report.attempts.len(), slow.states(RowState::Sent).await), (CASES.len(), CASES.len()));
    assert_eq!(slow.connector.most(), PLACES, "no more than there are places, and all of them");
    let counts = slow.receiver.counts().await.expect("it counts");
    assert_eq!((counts.created, counts.bodies), (10, 1), "each once");
}

#[tokio::test]
async fn no_more_rows_are_taken_than_there_are_places_also_beside_a_slow_request() {
    let slow = slow(&CASES).await;
    let ended = std::sync::Mutex::new(Vec::new());
    let destination = &slow.host.deliverer.destinations()[0];
    let nudged = Notify::new();
    let mut hears = |attempt: onceward::dispatch::outbox::Attempt| {
        ended.lock().expect("nobody has panicked").push(attempt.row);
    };
    let watched = async {
        slow.connector.until_reached().await;
        // At each moment, whatever has been answered and recorded by then.
        for passed in 1..CASES.len() {
            slow.until_passed(passed).await;
            let sending = slow.states(RowState::Sending).await;
            assert!((1..=PLACES).contains(&sending), "{sending} rows are under way");
        }
        slow.connector.go_on();
    };
    let (sent, ()) = tokio::join!(slow.host.deliverer.send_due(destination, &nudged, &mut hears), watched);
    sent.expect("the ledger works");
    assert_eq!(ended.lock().expect("nobody has panicked").len(), CASES.len());
}

#[tokio::test]
async fn a_row_that_comes_meanwhile_goes_out_beside_a_slow_request() {
    let slow = slow(&["first"]).await;
    let nudged = Notify::new();
    let destination = &slow.host.deliverer.destinations()[0];
    let meanwhile = async {
        slow.connector.until_reached().await;
        slow.host.done("enqueues", &case("second")).await;
        nudged.notify_one();
        slow.until_passed(1).await;
        slow.connector.go_on();
    };
    let mut hears = |_| {};
    let (sent, ()) = tokio::join!(slow.host.deliverer.send_due(destination, &nudged, &mut hears), meanwhile);
    sent.expect("the ledger works");
    assert_eq!(slow.states(RowState::Sent).await, 2);
}
