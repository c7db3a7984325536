//! What an ambiguous answer means at receivers that know no idempotency key: a natural field (tier 2) and a search
//! (tier 3). Tier 4 stands with the reference behaviours.

use crate::protocol::connectors::Dying;
use crate::protocol::connectors::Paused;
use crate::protocol::connectors::Then;
use crate::protocol::receiver;
use crate::protocol::slow;
use crate::protocol::with_rows;
use onceward::connectors::{Envelope, LookUp, Method};
use onceward::contract::tier::Tier;
use onceward::dispatch::retry::RetryPolicy;
use onceward::store::outbox::RowState;
use std::path::Path;
use support::host::DELIVERY_LEASE_MS;
use support::host::HostBuilder;
use support::host::KEY_RETENTION_MS;
use support::host::SETTLING_MS;
use support::host::TestHost;
use support::receiver::Receiver;
use support::receiver::client;
use tempfile::TempDir;

/// A receiver that upserts by title, and a host with one row for it.
async fn upserting() -> (TempDir, Receiver, TestHost) {
    let dir = tempfile::tempdir().expect("a temporary folder");
    let receiver = receiver(dir.path());
    let envelope = Envelope {
        method: Method::Put,
        reference: Some("/id".to_owned()),
        ..Envelope::new(receiver.url("/upsert/contacts/{/title}"))
    };
    let builder = HostBuilder::new(dir.path()).step("enqueues").crm_over_http(envelope).tier(Tier::Field);
    let host = with_rows(builder, &["ada lovelace"]).await;
    (dir, receiver, host)
}

/// How a receiver is addressed that can only be searched.
fn searched(receiver: &Receiver) -> Envelope {
    Envelope {
        reference: Some("/id".to_owned()),
        fingerprint: Some("/external_id".to_owned()),
        look_up: Some(LookUp {
            url: receiver.url("/search/notes?field=/external_id&value={key}"),
            found: "/found/0/id".to_owned(),
        }),
        ..Envelope::new(receiver.url("/plain/notes"))
    }
}

/// A host that writes to it, before its start.
fn builder(dir: &Path, receiver: &Receiver) -> HostBuilder {
    HostBuilder::new(dir)
        .step("enqueues")
        .crm_over_http(searched(receiver))
        .tier(Tier::Lookup)
        .delivery_retry(slow())
}

/// A receiver that can only be searched, and a host with one row for it.
async fn searchable() -> (TempDir, Receiver, TestHost) {
    let dir = tempfile::tempdir().expect("a temporary folder");
    let receiver = receiver(dir.path());
    let host = with_rows(builder(dir.path(), &receiver), &["a"]).await;
    (dir, receiver, host)
}

/// The row is sent, and its reference is the id of the one record that there is.
async fn assert_sent_once(receiver: &Receiver, host: &TestHost) {
    let (row, records) = (host.row().await, receiver.deals().await.expect("the receiver answers"));
    assert_eq!(records.len(), 1, "{records:?}");
    assert_eq!(
        (row.state, row.external_reference.as_ref()),
        (RowState::Sent, Some(&records[0].id)),
        "{row:?}"
    );
}

#[tokio::test]
async fn an_upsert_goes_out_again_on_the_same_field_however_long_ago_the_first_was() {
    let (_dir, receiver, host) = upserting().await;
    receiver.fault(&["lose-reply"]).unwrap();
    host.deliver().await;
    host.pass(10 * i64::try_from(KEY_RETENTION_MS).unwrap()).await;
    host.deliver_off().await;
    assert_sent_once(&receiver, &host).await;
    let counts = receiver.counts().await.unwrap();
    assert_eq!((counts.replayed, counts.replaced), (1, 0), "the same bytes to the same field: {counts:?}");
}

#[tokio::test]
async fn an_upsert_that_goes_out_again_overwrites_what_somebody_else_wrote_in_between() {
    let (_dir, receiver, host) = upserting().await;
    receiver.fault(&["lose-reply"]).unwrap();
    host.deliver().await;
    let (path, theirs) = ("/upsert/contacts/ada%20lovelace", br#"{"title":"ada lovelace","by":"hand"}"#);
    let written = client::send(receiver.address(), "PUT", path, &[], theirs).unwrap();
    assert_eq!(written.status(), Some(200), "it is the record that the lost reply has written");
    host.pass(10_000_000).await;
    host.deliver_off().await;
    assert_sent_once(&receiver, &host).await;
    assert_eq!(receiver.deals().await.unwrap()[0].body, host.row().await.payload);
}

#[tokio::test]
async fn a_look_up_finds_what_a_lost_reply_has_written_and_nothing_goes_out_again() {
    let (_dir, receiver, host) = searchable().await;
    receiver.fault(&["lose-reply"]).unwrap();
    host.deliver().await;
    let row = host.row().await;
    assert!(row.maybe_applied && row.state == RowState::Pending, "{row:?}");
    host.pass(10_000_000).await;
    host.deliver_off().await;
    assert_sent_once(&receiver, &host).await;
    assert_eq!(receiver.counts().await.unwrap().requests, 1, "the record was looked up, not written");
    assert!(receiver.deals().await.unwrap()[0].body.contains(&row.row_id.to_string()), "by its fingerprint");
}

#[tokio::test]
async fn what_the_receiver_does_not_have_goes_out_again() {
    let (_dir, receiver, host) = searchable().await;
    receiver.fault(&["refuse"]).unwrap();
    host.deliver().await;
    assert!(host.row().await.maybe_applied, "a closed connection says nothing");
    host.pass(10_000_000).await;
    host.deliver_off().await;
    assert_sent_once(&receiver, &host).await;
}

#[tokio::test]
async fn while_the_search_does_not_answer_nothing_goes_out() {
    let (_dir, receiver, host) = searchable().await;
    receiver.fault(&["lose-reply", "search:status:500", "search:lose-reply"]).unwrap();
    for _ in 0..3 {
        host.deliver().await;
        assert_eq!(receiver.counts().await.unwrap().requests, 1, "one write, whatever the search says");
        host.pass(10_000_000).await;
    }
    host.deliver_off().await;
    assert_sent_once(&receiver, &host).await;
}

#[tokio::test]
async fn a_look_up_waits_until_the_receiver_has_settled() {
    let dir = tempfile::tempdir().unwrap();
    let receiver = receiver(dir.path());
    // The schedule alone would come back at once.
    let quick = RetryPolicy { base_ms: 1, ceiling_ms: 1, ..RetryPolicy::default() };
    let host = with_rows(builder(dir.path(), &receiver).delivery_retry(quick), &["a"]).await;
    receiver.fault(&["lose-reply"]).unwrap();
    let before = host.deliver().await;
    let due_ms = before.next_due_ms.expect("it will be asked for");
    let taken_ms = host.row().await.updated_ms;
    assert!(due_ms - taken_ms >= i64::try_from(SETTLING_MS).unwrap(), "due {due_ms}, taken {taken_ms}");
}

#[tokio::test]
async fn a_lost_senders_row_is_looked_up_after_the_lease_and_the_settling_time_also_by_a_new_host() {
    let dir = tempfile::tempdir().unwrap();
    let receiver = receiver(dir.path());
    let dying = Dying::new(Then::Hang);
    let first = builder(dir.path(), &receiver).crm(searched(&receiver), dying.clone());
    let host = with_rows(first, &["a"]).await;
    tokio::select! {
        _ = host.deliver() => panic!("the answer never gets here"),
        () = dying.until_answered() => {}
    }
    let (clock, oracle) = host.end().await;

    // The sender is known to be dead, and what it sent may still be on its way into the receiver.
    let host = builder(dir.path(), &receiver).doors_of(&clock, &oracle).start().await;
    host.pass(i64::try_from(DELIVERY_LEASE_MS).unwrap()).await;
    assert!(host.deliver().await.attempts.is_empty(), "the receiver may not have settled yet");
    host.pass(i64::try_from(SETTLING_MS).unwrap()).await;
    host.deliver_off().await;
    assert_sent_once(&receiver, &host).await;
    assert_eq!(receiver.counts().await.unwrap().requests, 1);
}

/// The one case of a second record at this tier, which is not promised away: the receiver can't tell what has not reached it
/// from what never will.
#[tokio::test]
async fn a_sender_paused_before_it_writes_makes_a_second_record_if_it_goes_on_after_the_look_up() {
    let dir = tempfile::tempdir().unwrap();
    let receiver = receiver(dir.path());
    let paused = Paused::new();
    let host =
        with_rows(builder(dir.path(), &receiver).crm(searched(&receiver), paused.clone()), &["a"]).await;
    let overtakes = async {
        paused.until_reached().await;
        host.pass(i64::try_from(DELIVERY_LEASE_MS + SETTLING_MS).unwrap()).await;
        host.deliver_off().await;
        assert_sent_once(&receiver, &host).await;
        paused.go_on();
    };
    tokio::join!(host.deliver(), overtakes);
    let records = receiver.deals().await.unwrap();
    assert_eq!((host.row().await.state, records.len()), (RowState::Sent, 2), "{records:?}");
    assert_eq!(records[0].body, records[1].body, "whoever looks for doubles finds them by the fingerprint");
}

/// A receiver that takes keys for a day and can be searched too, and a host with one row that may have been applied.
async fn keyed_and_searchable(fault: &str) -> (TempDir, Receiver, TestHost) {
    let dir = tempfile::tempdir().expect("a temporary folder");
    let receiver = receiver(dir.path());
    let host = with_rows(builder(dir.path(), &receiver).tier(Tier::Key), &["a"]).await;
    receiver.fault(&[fault]).expect("a fault");
    host.deliver().await;
    assert!(host.row().await.maybe_applied);
    (dir, receiver, host)
}

#[tokio::test]
async fn a_receiver_that_may_have_forgotten_the_key_is_asked_where_it_can_be() {
    for fault in ["lose-reply", "refuse"] {
        let (_dir, receiver, host) = keyed_and_searchable(fault).await;
        host.pass(i64::try_from(KEY_RETENTION_MS).unwrap()).await;
        host.deliver_off().await;
        assert_sent_once(&receiver, &host).await;
    }
}

#[tokio::test]
async fn after_a_repeat_the_record_itself_is_looked_at() {
    let (_dir, receiver, host) = searchable().await;
    receiver.fault(&["refuse"]).unwrap();
    host.deliver().await;
    host.pass(10_000_000).await;
    let before = receiver.counts().await.unwrap().reads;
    host.deliver_off().await;
    let counts = receiver.counts().await.unwrap();
    assert_eq!(counts.reads - before, 2, "once before the repeat, and once after it: {counts:?}");
    assert_sent_once(&receiver, &host).await;
}
