//! Rows as steps ask for them, through real guests and a real receiver: held for a person, in line, the same text once.

use crate::protocol::receiver;
use onceward::contract::sameness::Sameness;
use onceward::dispatch::end::End;
use onceward::identity::event::Event;
use onceward::runtime::job::RowTerms;
use onceward::store::approval::Approved;
use onceward::store::operate::RowDecision;
use onceward::store::outbox::OutboxRow;
use onceward::store::outbox::RowState;
use onceward::store::pause::PauseScope;
use serde_json::Value;
use serde_json::json;
use std::path::Path;
use support::host::HostBuilder;
use support::host::event;
use support::receiver::Receiver;

/// A host that puts rows out as its events describe them, before its start.
fn enqueuer(dir: &Path, receiver: &Receiver) -> HostBuilder {
    HostBuilder::new(dir).step("enqueues_as").crm_at(&receiver.url("/messages"))
}

fn rows_of(id: &str, rows: &Value) -> Event {
    event(id, &json!({ "rows": rows }))
}

/// One message in the line of a conversation.
fn message(id: &str, conversation: &str) -> Event {
    rows_of(id, &json!([{ "slot": "message", "body": { "text": id }, "ordering_key": conversation }]))
}

/// A draft that a person must approve.
fn draft(id: &str) -> Event {
    rows_of(
        id,
        &json!([{ "slot": "draft", "body": { "text": "Thank you." }, "approval": "it speaks to a customer" }]),
    )
}

/// The texts that the receiver got, in order.
async fn got(receiver: &Receiver) -> Vec<String> {
    let deals = receiver.deals().await.expect("the receiver answers");
    deals
        .iter()
        .map(|deal| serde_json::from_str::<Value>(&deal.body).expect("JSON")["text"].clone())
        .map(|text| text.as_str().expect("a text").to_owned())
        .collect()
}

fn behind(rows: &[OutboxRow]) -> Vec<Option<usize>> {
    let place = |id| rows.iter().position(|row| row.row_id == id).expect("it is listed");
    rows.iter().map(|row| row.behind.map(place)).collect()
}

#[tokio::test]
async fn s04_one_draft_waits_for_a_person_whatever_the_number_of_retries() {
    let dir = tempfile::tempdir().unwrap();
    let receiver = receiver(dir.path());
    let host = enqueuer(dir.path(), &receiver).start().await;
    // The first runs are lost after the step has enqueued; a redelivery comes in between.
    for _ in 0..3 {
        let lost = match host.dispatcher.claim("enqueues-as", &draft("m-1")).await.unwrap() {
            onceward::dispatch::step::Claimed::Held(held) => held.run(&host.dispatcher).await,
            onceward::dispatch::step::Claimed::Answered(answered) => panic!("{answered:?}"),
        };
        drop(lost);
        host.answered("enqueues-as", &draft("m-1")).await;
        host.pass(3_600_000).await;
    }
    host.work_off().await;
    host.answered("enqueues-as", &draft("m-1")).await;
    let row = host.row().await;
    assert_eq!((row.state, row.payload.as_str()), (RowState::Held, r#"{"text":"Thank you."}"#));
    assert_eq!(host.deliver_off().await.attempts.len(), 0, "nothing speaks to a customer unasked");

    assert_eq!(host.approve(row.row_id).await, Approved::Applied);
    assert!(matches!(host.approve(row.row_id).await, Approved::Already { .. }));
    host.deliver_off().await;
    host.deliver_off().await;
    assert_eq!(
        (host.row().await.state, got(&receiver).await),
        (RowState::Sent, vec!["Thank you.".to_owned()])
    );
}

#[tokio::test]
async fn an_edited_draft_goes_out_as_it_was_edited_and_under_a_key_of_its_own() {
    let dir = tempfile::tempdir().unwrap();
    let receiver = receiver(dir.path());
    let host = enqueuer(dir.path(), &receiver).start().await;
    host.done("enqueues-as", &draft("m-1")).await;
    let first = host.row().await.row_id;
    let second = host.edit(first, &json!({ "text": "Thank you, Ada." })).await;
    assert_eq!(host.approve(first).await, Approved::Superseded { by: second });
    assert!(host.deliver_off().await.attempts.is_empty(), "an edit needs an approval of its own");
    host.approve(second).await;
    let report = host.deliver_off().await;
    assert_eq!(report.attempts.iter().map(|attempt| attempt.row).collect::<Vec<_>>(), [second]);
    assert_eq!(host.row_states().await, [RowState::Superseded, RowState::Sent]);
    assert_eq!(got(&receiver).await, ["Thank you, Ada."]);
}

#[tokio::test]
async fn a_draft_that_nobody_approves_in_time_is_cancelled_by_the_next_delivery() {
    let dir = tempfile::tempdir().unwrap();
    let receiver = receiver(dir.path());
    let host = enqueuer(dir.path(), &receiver).start().await;
    let rows = json!([
        { "slot": "a", "body": { "text": "a" }, "approval": "it speaks", "within_s": 60, "ordering_key": "k" },
        { "slot": "b", "body": { "text": "b" }, "ordering_key": "k" },
    ]);
    host.done("enqueues-as", &rows_of("m-1", &rows)).await;
    host.pass(59_999).await;
    assert!(host.deliver().await.expired.is_empty());
    host.pass(1).await;
    let report = host.deliver().await;
    assert_eq!(report.expired, [host.rows().await[0].row_id]);
    assert_eq!(
        (host.row_states().await, got(&receiver).await),
        (vec![RowState::Cancelled, RowState::Sent], vec!["b".to_owned()])
    );
}

#[tokio::test]
async fn a_conversation_keeps_its_order_through_retries_while_others_go_on() {
    let dir = tempfile::tempdir().unwrap();
    let receiver = receiver(dir.path());
    let host = enqueuer(dir.path(), &receiver).start().await;
    for id in ["1", "2", "3"] {
        host.done("enqueues-as", &message(id, "ada")).await;
    }
    host.done("enqueues-as", &message("x", "bob")).await;
    assert_eq!(behind(&host.rows().await), [None, Some(0), Some(0), None]);
    receiver.fault(&["status:429", "status:500", "lose-reply"]).unwrap();
    host.deliver_off().await;
    let mut texts = got(&receiver).await;
    texts.retain(|text| text != "x");
    assert_eq!(texts, ["1", "2", "3"]);
    assert_eq!(host.row_states().await, [RowState::Sent; 4]);
}

#[tokio::test]
async fn who_is_behind_waits_for_the_head_and_says_so() {
    let dir = tempfile::tempdir().unwrap();
    let receiver = receiver(dir.path());
    let host = enqueuer(dir.path(), &receiver).start().await;
    for id in ["1", "2", "3"] {
        host.done("enqueues-as", &message(id, "ada")).await;
    }
    receiver.fault(&["status:400"]).unwrap();
    let report = host.deliver_off().await;
    assert_eq!((report.attempts.len(), report.next_due_ms), (1, None), "nobody goes past a blocked head");
    assert_eq!(behind(&host.rows().await), [None, Some(0), Some(0)]);
    // A person cancels it, and the followers have their whole time.
    host.pass(100 * 24 * 3_600_000).await;
    host.decide(host.rows().await[0].row_id, RowDecision::Cancel).await;
    receiver.fault(&["status:500"]).unwrap();
    host.deliver_off().await;
    assert_eq!(got(&receiver).await, ["2", "3"]);
    assert_eq!(host.row_states().await, [RowState::Cancelled, RowState::Sent, RowState::Sent]);
}

#[tokio::test]
async fn s09_another_host_goes_on_with_the_line_of_one_that_died() {
    let dir = tempfile::tempdir().unwrap();
    let receiver = receiver(dir.path());
    let host = enqueuer(dir.path(), &receiver).start().await;
    for id in ["1", "2"] {
        host.done("enqueues-as", &message(id, "ada")).await;
    }
    receiver.fault(&["hang:60000"]).unwrap();
    tokio::select! {
        _ = host.deliver() => panic!("the receiver hangs"),
        () = async {
            while receiver.counts().await.unwrap().requests == 0 {
                tokio::task::yield_now().await;
            }
        } => {}
    }
    let (clock, oracle) = host.end().await;
    let host = enqueuer(dir.path(), &receiver).doors_of(&clock, &oracle).start().await;
    assert_eq!(behind(&host.rows().await), [None, Some(0)]);
    let report = host.deliver_off().await;
    let order: Vec<_> = report.attempts.iter().map(|attempt| attempt.row).collect();
    assert_eq!(order, host.rows().await.iter().map(|row| row.row_id).collect::<Vec<_>>());
    assert_eq!(got(&receiver).await, ["1", "2"]);
}

#[tokio::test]
async fn s22_messages_that_a_queue_delivers_again_reach_nobody_twice_within_the_window() {
    let dir = tempfile::tempdir().unwrap();
    let receiver = receiver(dir.path());
    let sameness = Sameness::new("/to", "/text", 24 * 3_600_000).unwrap();
    let terms = RowTerms { sameness: Some(sameness), ..RowTerms::default() };
    let host = enqueuer(dir.path(), &receiver).row_terms(terms).start().await;
    let storm = async |round: &str| {
        for n in 0..20 {
            // The text differs in what nobody sees, and the event has an id of its own each time.
            let body = json!({ "to": format!("{n}@example.com"), "text": format!("Hi{} there ", " ".repeat(n)), "try": round });
            let rows = json!([{ "slot": "message", "body": body }]);
            host.done("enqueues-as", &rows_of(&format!("{round}-{n}"), &rows)).await;
        }
        host.deliver_off().await;
        receiver.counts().await.unwrap().created
    };
    assert_eq!(storm("1").await, 20);
    assert_eq!(storm("2").await, 20);
    host.pass(24 * 3_600_000 - 1).await;
    assert_eq!(storm("3").await, 20);
    host.pass(1).await;
    assert_eq!(storm("4").await, 40, "the window is over");
}

#[tokio::test]
async fn the_operator_can_hold_every_row_to_a_destination() {
    let dir = tempfile::tempdir().unwrap();
    let receiver = receiver(dir.path());
    let terms = RowTerms { hold: true, ..RowTerms::default() };
    let host = enqueuer(dir.path(), &receiver).row_terms(terms).start().await;
    host.done("enqueues-as", &message("1", "ada")).await;
    let row = host.row().await;
    assert!(row.approval_reason.is_some_and(|why| why.contains("the operator")));
    assert!(host.deliver_off().await.attempts.is_empty());
    host.approve(row.row_id).await;
    host.deliver_off().await;
    assert_eq!(got(&receiver).await, ["1"]);
}

#[tokio::test]
async fn a_pause_loses_no_event_no_row_and_no_attempt() {
    for scope in [PauseScope::Everything, PauseScope::Namespace] {
        let dir = tempfile::tempdir().unwrap();
        let receiver = receiver(dir.path());
        let host = enqueuer(dir.path(), &receiver).start().await;
        host.done("enqueues-as", &message("before", "ada")).await;
        host.pause(scope.clone()).await;
        let standing = host.answered("enqueues-as", &message("meanwhile", "ada")).await.standing;
        assert!(matches!(standing, onceward::store::claim::Standing::Paused { .. }), "{standing:?}");
        assert!(host.work_off().await.is_empty());
        let report = host.deliver_off().await;
        assert_eq!((report.attempts.len(), report.next_due_ms), (0, None));
        host.pass(100 * 24 * 3_600_000).await;
        assert!(host.unpause(scope).await);
        let ended = host.work_off().await;
        assert!(matches!(&ended[..], [only] if matches!(only.end, End::Done { .. })), "{ended:?}");
        host.deliver_off().await;
        assert_eq!(got(&receiver).await, ["before", "meanwhile"]);
        assert!(host.rows().await.iter().all(|row| row.attempt == 1));
    }
}

#[tokio::test]
async fn s24_a_person_sees_what_was_to_be_sent_and_what_the_receiver_says_it_has() {
    let dir = tempfile::tempdir().unwrap();
    let receiver = receiver(dir.path());
    let host = enqueuer(dir.path(), &receiver).start().await;
    host.done("enqueues-as", &message("ours", "ada")).await;
    // Somebody else has used the key for other content.
    let key = host.row().await.row_id.to_string();
    let theirs = br#"{"text":"theirs"}"#;
    let exchange = support::receiver::client::post(receiver.address(), "/messages", Some(&key), theirs);
    assert_eq!(exchange.unwrap().status(), Some(201));
    let report = host.deliver_off().await;
    assert_eq!(report.attempts.len(), 1, "blocked at once");
    let row = host.row().await;
    assert_eq!((row.state, row.payload.as_str()), (RowState::Blocked, r#"{"text":"ours"}"#));
    let cause = row.cause.unwrap_or_default();
    assert!(cause.contains("other content under the same key") && cause.contains("it says"), "{cause}");
    host.pass(100 * 24 * 3_600_000).await;
    assert!(host.deliver_off().await.attempts.is_empty(), "for good");
    assert_eq!(got(&receiver).await, ["theirs"]);
}
