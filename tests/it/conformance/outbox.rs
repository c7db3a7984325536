//! Rows on their way out: counted before they are sent, the same bytes every time, never again once accepted.

use crate::conformance::harness::{
    Bench, CRM, ELSEWHERE, LEASE_MS, RETENTION_MS, SPACE, UNWELL, again, done_with, row, row_id, row_ref,
    rows, sent, take,
};
use onceward::identity::key::RowId;
use onceward::store::outbox::{FoundRow, NewRow, RowOutcome, RowSettled, RowState, Sending, Take};
use onceward::store::pause::PauseScope;
use onceward::store::work::Collected;
use support::sim_clock::START_MS;

pub(super) async fn outbox_take_counts_the_attempt_before_it_is_made(bench: Bench) {
    let work =
        bench.finish("a", Collected { rows: vec![row("r", r#"{ "n":1.0 }"#)], ..Collected::default() }).await;
    let sending = bench.take_row().await;
    assert_eq!((sending.row.clone(), sending.work_id), (row_ref("r"), work.work.work_id));
    assert_eq!((sending.payload.as_str(), sending.slot.as_str()), (r#"{ "n":1.0 }"#, "deal"));
    assert_eq!((sending.attempt, sending.maybe_applied), (1, false));
    assert_eq!((sending.first_attempt_ms, sending.taken_ms), (START_MS, START_MS));
    let stored = bench.row("r").await;
    assert_eq!((stored.state, stored.attempt, stored.due_ms), (RowState::Sending, 1, None));
    assert!(bench.take_rows(take()).await.is_empty(), "a row in flight was taken");
}

pub(super) async fn outbox_take_freezes_the_envelope_at_the_first_attempt(bench: Bench) {
    bench.finish("a", rows(&["r"])).await;
    let first = bench.take_row().await;
    bench.settle_row(&first, again(0, false)).await;
    bench.advance(7_000);
    let changed = Take { envelope: "changed configuration".to_owned(), ..take() };
    let second = bench.take_rows(changed).await.remove(0);
    assert_eq!((second.envelope.as_str(), second.attempt), ("first envelope", 2));
    assert_eq!((second.first_attempt_ms, second.taken_ms), (START_MS, START_MS + 7_000));
    assert!(second.token > first.token);
}

pub(super) async fn outbox_take_s16_takes_by_state_not_by_a_moving_mark(bench: Bench) {
    // The work that began first commits its row last, after rows of later work have been taken and sent.
    let first = bench.hold("first").await;
    bench.finish("second", rows(&["late number", "later number"])).await;
    for sending in bench.take_rows(take()).await {
        bench.settle_row(&sending, sent()).await;
    }
    bench.settle(&first, done_with(rows(&["committed last"]))).await;
    assert_eq!(bench.take_row().await.row, row_ref("committed last"));
    // A row whose due time lies before that of a row already taken is found as well.
    bench.finish("third", rows(&["waits", "goes"])).await;
    let taken = bench.take_rows(take()).await;
    let [waits, goes] = taken.as_slice() else { panic!("{taken:?}") };
    bench.settle_row(waits, again(1_000, false)).await;
    bench.settle_row(goes, again(2_000, false)).await;
    bench.advance(2_000);
    let order: Vec<_> = bench.take_rows(take()).await.into_iter().map(|sending| sending.row).collect();
    assert_eq!(order, [row_ref("waits"), row_ref("goes")]);
}

pub(super) async fn outbox_take_keeps_to_its_limit_destination_and_namespace(bench: Bench) {
    let mut collected = rows(&["1", "2", "3", "4", "5"]);
    collected.rows[4].destination = "mail".to_owned();
    bench.finish("a", collected).await;
    for stranger in [
        Take { namespace: ELSEWHERE.to_owned(), ..take() },
        Take { destination: "chat".to_owned(), ..take() },
        Take { limit: 0, ..take() },
    ] {
        assert!(bench.take_rows(stranger).await.is_empty());
    }
    let ids = |taken: Vec<Sending>| taken.into_iter().map(|sending| sending.row.id).collect::<Vec<_>>();
    assert_eq!(
        ids(bench.take_rows(Take { limit: 3, ..take() }).await),
        [row_id("1"), row_id("2"), row_id("3")]
    );
    assert_eq!(ids(bench.take_rows(Take { limit: 3, ..take() }).await), [row_id("4")]);
    assert_eq!(ids(bench.take_rows(Take { destination: "mail".to_owned(), ..take() }).await), [row_id("5")]);
}

pub(super) async fn outbox_take_by_many_at_once_gives_each_row_to_one(bench: Bench) {
    let ids: Vec<String> = (0..50).map(|n| n.to_string()).collect();
    bench.finish("a", rows(&ids.iter().map(String::as_str).collect::<Vec<_>>())).await;
    let takes: Vec<_> = (0..10)
        .map(|_| {
            let store = std::sync::Arc::clone(&bench.store);
            tokio::spawn(async move { store.outbox_take(Take { limit: 7, ..take() }).await })
        })
        .collect();
    let mut taken = Vec::new();
    for rows in takes {
        taken.extend(
            rows.await.expect("no panic").expect("no error").into_iter().map(|sending| sending.row.id),
        );
    }
    assert_eq!(taken.len(), 50);
    taken.sort();
    taken.dedup();
    assert_eq!(taken.len(), 50, "a row was given to two");
}

pub(super) async fn outbox_take_after_the_sender_has_gone_says_maybe_applied_for_good(bench: Bench) {
    bench.finish("a", rows(&["r"])).await;
    let gone = bench.take_row().await;
    bench.advance(LEASE_MS - 1);
    assert!(bench.take_rows(take()).await.is_empty());
    bench.advance(1);
    let next = bench.take_row().await;
    assert_eq!((next.attempt, next.maybe_applied), (2, true));
    assert!(next.token > gone.token);
    bench.settle_row(&next, again(0, false)).await;
    let last = bench.take_row().await;
    assert!(last.maybe_applied);
    bench.settle_row(&last, sent()).await;
    assert!(bench.row("r").await.maybe_applied, "it went back");
}

pub(super) async fn outbox_settle_withheld_gives_the_attempt_back_and_waits_for_a_person(bench: Bench) {
    bench.finish("a", rows(&["b", "d"])).await;
    bench.take_rows(take()).await;
    bench.advance(LEASE_MS);
    for (sending, in_doubt) in bench.take_rows(take()).await.iter().zip([false, true]) {
        let outcome = RowOutcome::Withheld { cause: "used up".to_owned(), in_doubt };
        assert_eq!(bench.settle_row(sending, outcome).await, RowSettled::Applied);
        let stored =
            bench.rows().await.into_iter().find(|row| row.row_id == sending.row.id).expect("it exists");
        let state = if in_doubt { RowState::InDoubt } else { RowState::Blocked };
        assert_eq!((stored.state, stored.attempt, stored.maybe_applied), (state, 1, true));
    }
    bench.advance(100 * RETENTION_MS);
    assert!(bench.take_rows(take()).await.is_empty());
}

pub(super) async fn outbox_settle_paused_takes_the_envelope_off_what_was_not_applied(bench: Bench) {
    bench.finish("a", rows(&["r"])).await;
    let paused = || RowOutcome::Paused { cause: "401".to_owned() };
    bench.settle_row(&bench.take_row().await, paused()).await;
    assert!(bench.unpause(SPACE, PauseScope::Destination(CRM.to_owned())).await);
    let corrected = Take { envelope: "corrected".to_owned(), ..take() };
    let second = bench.take_rows(corrected.clone()).await.remove(0);
    assert_eq!((second.envelope.as_str(), second.attempt), ("corrected", 1));
    // Once it may have been applied, what was sent stays what is sent.
    bench.settle_row(&second, again(0, true)).await;
    let third = bench.take_rows(take()).await.remove(0);
    bench.settle_row(&third, paused()).await;
    assert!(bench.unpause(SPACE, PauseScope::Destination(CRM.to_owned())).await);
    assert_eq!(bench.take_row().await.envelope, "corrected");
}

pub(super) async fn outbox_next_due_of_a_paused_destination_is_never(bench: Bench) {
    bench.finish("a", rows(&["r"])).await;
    bench.settle_row(&bench.take_row().await, RowOutcome::Paused { cause: "401".to_owned() }).await;
    assert_eq!(bench.store.outbox_next_due(SPACE, CRM).await.expect("the store works"), None);
    assert!(bench.unpause(SPACE, PauseScope::Destination(CRM.to_owned())).await);
    assert!(bench.store.outbox_next_due(SPACE, CRM).await.expect("the store works").is_some());
}

pub(super) async fn outbox_settle_sent_is_never_taken_again(bench: Bench) {
    bench.finish("a", rows(&["r"])).await;
    let sending = bench.take_row().await;
    assert_eq!(bench.settle_row(&sending, sent()).await, RowSettled::Applied);
    let stored = bench.row("r").await;
    assert_eq!((stored.state, stored.receipt.as_deref()), (RowState::Sent, Some(r#"{"id":"d-1"}"#)));
    assert_eq!((stored.external_reference.as_deref(), stored.cause), (Some("d-1"), None));
    bench.advance(100 * RETENTION_MS);
    assert!(bench.take_rows(take()).await.is_empty());
    assert_eq!(bench.store.outbox_next_due(SPACE, CRM).await.expect("the store works"), None);
    assert_eq!(bench.settle_row(&sending, again(0, true)).await, RowSettled::LeaseLost);
    assert_eq!(bench.row("r").await.state, RowState::Sent);
}

pub(super) async fn outbox_settle_again_waits_until_due(bench: Bench) {
    bench.finish("a", rows(&["r"])).await;
    let first = bench.take_row().await;
    assert_eq!(bench.settle_row(&first, again(3_000, true)).await, RowSettled::Applied);
    let stored = bench.row("r").await;
    assert_eq!((stored.state, stored.due_ms), (RowState::Pending, Some(START_MS + 3_000)));
    assert_eq!((stored.cause.as_deref(), stored.maybe_applied), (Some("reset"), true));
    bench.advance(2_999);
    assert!(bench.take_rows(take()).await.is_empty());
    bench.advance(1);
    let second = bench.take_row().await;
    assert_eq!((second.attempt, second.maybe_applied), (2, true));
}

pub(super) async fn outbox_settle_blocked_and_in_doubt_wait_for_a_person(bench: Bench) {
    bench.finish("a", rows(&["b", "m", "d"])).await;
    let cause = || "400".to_owned();
    let outcomes = [
        (
            RowOutcome::Blocked { cause: cause(), maybe_applied: false, health: UNWELL },
            RowState::Blocked,
            false,
        ),
        (
            RowOutcome::Blocked { cause: cause(), maybe_applied: true, health: UNWELL },
            RowState::Blocked,
            true,
        ),
        (RowOutcome::InDoubt { cause: cause(), health: UNWELL }, RowState::InDoubt, true),
    ];
    let taken = bench.take_rows(take()).await;
    for (sending, (outcome, state, maybe_applied)) in taken.iter().zip(outcomes) {
        assert_eq!(bench.settle_row(sending, outcome).await, RowSettled::Applied);
        let stored =
            bench.rows().await.into_iter().find(|row| row.row_id == sending.row.id).expect("it exists");
        assert_eq!((stored.state, stored.maybe_applied, stored.cause), (state, maybe_applied, Some(cause())));
    }
    bench.advance(100 * RETENTION_MS);
    assert!(bench.take_rows(take()).await.is_empty());
}

pub(super) async fn outbox_settle_with_a_stale_token_is_lease_lost(bench: Bench) {
    bench.finish("a", rows(&["r"])).await;
    let slow = bench.take_row().await;
    bench.advance(LEASE_MS);
    let next = bench.take_row().await;
    let paused = RowOutcome::Paused { cause: "401".to_owned() };
    for outcome in
        [sent(), again(0, false), RowOutcome::InDoubt { cause: "late".to_owned(), health: UNWELL }, paused]
    {
        assert_eq!(bench.settle_row(&slow, outcome).await, RowSettled::LeaseLost);
    }
    let stored = bench.row("r").await;
    assert_eq!((stored.state, stored.attempt, stored.cause), (RowState::Sending, 2, None));
    assert!(bench.store.pause_list(SPACE).await.expect("the store works").is_empty());
    assert_eq!(bench.settle_row(&next, sent()).await, RowSettled::Applied);
    // In another namespace the row is not there at all.
    let elsewhere = Sending {
        row: onceward::store::outbox::RowRef { namespace: ELSEWHERE.to_owned(), ..next.row.clone() },
        ..next
    };
    assert_eq!(bench.settle_row(&elsewhere, sent()).await, RowSettled::LeaseLost);
}

pub(super) async fn outbox_settle_after_the_lease_time_holds_while_nobody_took_the_row(bench: Bench) {
    bench.finish("a", rows(&["r"])).await;
    let slow = bench.take_row().await;
    bench.advance(10 * LEASE_MS);
    assert_eq!(bench.settle_row(&slow, sent()).await, RowSettled::Applied);
    assert_eq!(bench.row("r").await.state, RowState::Sent);
}

pub(super) async fn outbox_settle_keeps_a_cut_receipt_and_its_flag(bench: Bench) {
    bench.finish("a", rows(&["r"])).await;
    let sending = bench.take_row().await;
    let outcome = RowOutcome::Sent {
        receipt: "half of \u{0} it".to_owned(),
        truncated: true,
        external_reference: None,
        flag: Some("the receipt can't be read".to_owned()),
    };
    assert_eq!(bench.settle_row(&sending, outcome).await, RowSettled::Applied);
    let stored = bench.row("r").await;
    assert_eq!((stored.state, stored.receipt.as_deref()), (RowState::Sent, Some("half of \u{0} it")));
    assert_eq!(
        (stored.cause.as_deref(), stored.external_reference),
        (Some("the receipt can't be read"), None)
    );
}

pub(super) async fn outbox_find_gives_the_stored_payload_hash(bench: Bench) {
    let find = async |namespace: &str| {
        bench.store.outbox_find(namespace, row_id("r")).await.expect("the store works")
    };
    assert_eq!(find(SPACE).await, None);
    bench.finish("a", rows(&["r"])).await;
    assert_eq!(
        find(SPACE).await,
        Some(FoundRow { payload_hash: row("r", "{}").payload_hash, live: row_id("r") })
    );
    assert_eq!(find(ELSEWHERE).await, None);
}

pub(super) async fn outbox_next_due_is_the_nearest_due_time_or_lease_end(bench: Bench) {
    let next = async || {
        let due = bench.store.outbox_next_due(SPACE, CRM).await.expect("the store works");
        due.map(|due| due.at_ms)
    };
    assert_eq!(next().await, None);
    bench.finish("a", rows(&["1", "2"])).await;
    assert_eq!(next().await, Some(START_MS));
    let taken = bench.take_rows(take()).await;
    assert_eq!(next().await, Some(START_MS + LEASE_MS));
    bench.settle_row(&taken[0], again(2_000, false)).await;
    assert_eq!(next().await, Some(START_MS + 2_000));
    assert_eq!(bench.store.outbox_next_due(SPACE, "mail").await.expect("the store works"), None);
    assert_eq!(bench.store.outbox_next_due(ELSEWHERE, CRM).await.expect("the store works"), None);
}

pub(super) async fn outbox_take_takes_no_row_over_from_the_sender_that_takes(bench: Bench) {
    bench.enqueue(rows_of(&["1", "2"])).await;
    assert_eq!(bench.take_ids(take()).await, ["1", "2"].map(row_id));
    bench.enqueue(rows_of(&["3"])).await;
    // Both leases have ended, and one of the senders is the one that takes.
    bench.advance(LEASE_MS);
    let mine = Take { mine: vec![row_id("1")], ..take() };
    let mut taken = bench.take_ids(mine).await;
    taken.sort_unstable_by_key(RowId::to_string);
    let mut others = ["2", "3"].map(row_id);
    others.sort_unstable_by_key(RowId::to_string);
    assert_eq!(taken, others);
    assert_eq!(bench.take_ids(take()).await, [row_id("1")]);
}

fn rows_of(ids: &[&str]) -> Vec<NewRow> {
    ids.iter().map(|id| row(id, "{}")).collect()
}
