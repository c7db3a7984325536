//! Many dead letters into a receiver that can't take them all at once.

use crate::protocol::case;
use crate::protocol::enqueuer;
use crate::protocol::receiver;
use onceward::clock::Clock as _;
use onceward::store::bulk::{Batch, RowChoice};
use onceward::store::operate::{Actor, RowDecision};
use onceward::store::outbox::RowState;
use support::host::{NAMESPACE, TestHost};

/// Rows that go out again: more than the receiver takes in two seconds.
const ROWS: u32 = 25;

/// The spread that keeps ten calls a second, in milliseconds.
const EVERY_MS: i64 = 100;

/// Deliver all; when each attempt was made, by the test's clock.
async fn sent_at_ms(host: &TestHost) -> Vec<i64> {
    let mut sent_at_ms = Vec::new();
    loop {
        let report = host.deliver().await;
        sent_at_ms.extend(report.attempts.iter().map(|_| host.clock.now_ms()));
        let Some(due_ms) = report.next_due_ms else { return sent_at_ms };
        host.until(due_ms);
    }
}

#[tokio::test]
async fn s23_many_rows_go_out_again_spread_so_that_the_receiver_keeps_up() {
    let dir = tempfile::tempdir().unwrap();
    let receiver = receiver(dir.path());
    let host = enqueuer(dir.path(), &receiver).start().await;
    for n in 0..ROWS {
        host.done("enqueues", &case(&n.to_string())).await;
    }
    receiver.fault(&vec!["status:400"; ROWS as usize]).unwrap();
    host.deliver_off().await;
    let choice = RowChoice {
        namespace: NAMESPACE.to_owned(),
        state: RowState::Blocked,
        destination: Some("crm".to_owned()),
        cause: None,
    };
    let batch = Batch { limit: 1_000, first_in_ms: 0, every_ms: EVERY_MS };
    let actor = Actor { name: "Noor".to_owned(), reason: "the CRM is repaired".to_owned(), action: None };
    let again = RowDecision::Again { due_in_ms: 0 };
    let decided = host.store.outbox_decide_all(choice, again, batch, actor).await.unwrap();
    assert_eq!(decided, u64::from(ROWS));
    let sent_at_ms = sent_at_ms(&host).await;
    assert_eq!(sent_at_ms.len(), ROWS as usize);
    let crowded = sent_at_ms.windows(11).find(|eleven| eleven[10] - eleven[0] < 1_000);
    assert_eq!(crowded, None, "eleven within a second: {sent_at_ms:?}");
    let counts = receiver.counts().await.unwrap();
    assert_eq!((counts.created, counts.conflicts), (u64::from(ROWS), 0), "each under its own key");
    assert!(host.row_states().await.iter().all(|state| *state == RowState::Sent));
}

#[tokio::test]
async fn s23_what_is_replayed_all_at_once_goes_out_at_the_rate_of_the_destination() {
    let dir = tempfile::tempdir().unwrap();
    let receiver = receiver(dir.path());
    let host = enqueuer(dir.path(), &receiver).rate(10, 1_000).start().await;
    for n in 0..ROWS {
        host.done("enqueues", &case(&n.to_string())).await;
    }
    let sent_at_ms = sent_at_ms(&host).await;
    assert_eq!(sent_at_ms.len(), ROWS as usize);
    // Ten a second, and 10 ms that a pass over the outbox can't tell apart.
    let crowded = sent_at_ms.windows(11).find(|eleven| eleven[10] - eleven[0] < 990);
    assert_eq!(crowded, None, "eleven within a second: {sent_at_ms:?}");
}
