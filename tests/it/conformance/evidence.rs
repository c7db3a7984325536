//! Evidence: in order and complete.

use crate::conformance::harness::{Bench, ELSEWHERE, LEASE_MS, UNWELL, at, done_with, retry, rows};
use onceward::store::outbox::RowOutcome;
use onceward::store::work::{Settled, WorkRef};
use support::sim_clock::START_MS;

pub(super) async fn evidence_list_tells_the_whole_story_in_order(bench: Bench) {
    let first = bench.hold("a").await;
    bench.advance(1_000);
    bench.settle_with(&first, retry(0), &["first try"]).await;
    let second = bench.take().await.expect("due");
    bench.advance(LEASE_MS);
    let third = bench.hold("a").await;
    assert_eq!(bench.settle(&second, retry(0)).await, Settled::LeaseLost);
    assert_eq!(bench.settle(&third, done_with(rows(&["r"]))).await, Settled::Applied);
    let sending = bench.take_row().await;
    let again =
        RowOutcome::Again { cause: "503".to_owned(), due_in_ms: 0, maybe_applied: true, health: UNWELL };
    bench.store.outbox_settle(sending.row, sending.token, again).await.expect("the store works");
    let sending = bench.take_row().await;
    let sent = RowOutcome::Sent {
        receipt: "{}".to_owned(),
        truncated: false,
        external_reference: Some("d-1".to_owned()),
        flag: None,
    };
    bench.store.outbox_settle(sending.row, sending.token, sent).await.expect("the store works");
    let bench = bench.reopen().await;
    let evidence = bench.store.evidence_list(at(&first.work)).await.expect("the store works");
    let expected = [
        ("claimed", "attempt 1", 0),
        ("note", "first try", 1_000),
        ("settled", "the model is away", 1_000),
        ("claimed", "attempt 2", 1_000),
        ("claimed", "taken over", 1_000 + LEASE_MS),
        ("enqueued", "deal", 1_000 + LEASE_MS),
        ("settled", "done", 1_000 + LEASE_MS),
        ("sending", "attempt 1", 1_000 + LEASE_MS),
        ("again", "503", 1_000 + LEASE_MS),
        ("sending", "attempt 2", 1_000 + LEASE_MS),
        ("sent", "d-1", 1_000 + LEASE_MS),
    ];
    assert_eq!(evidence.len(), expected.len(), "{evidence:#?}");
    for (line, (kind, part, after_ms)) in evidence.iter().zip(expected) {
        assert_eq!((line.kind.as_str(), line.at_ms), (kind, START_MS + after_ms), "{line:?}");
        assert!(line.detail.contains(part), "{line:?}");
    }
    assert!(evidence.windows(2).all(|pair| pair[0].seq < pair[1].seq));
}

pub(super) async fn evidence_list_shares_nothing_between_namespaces(bench: Bench) {
    let held = bench.hold("a").await;
    let there = WorkRef { namespace: ELSEWHERE.to_owned(), id: held.work.work_id };
    assert!(bench.store.evidence_list(there).await.expect("the store works").is_empty());
    assert_eq!(bench.kinds(at(&held.work)).await.len(), 1);
}
