//! `lead-intake`: one form for a message, and an identity that its form does not touch.

use crate::guests::plugins::INTAKE;
use onceward::dispatch::end::End;
use onceward::identity::event::Event;
use onceward::runtime::run::Ended as RunEnded;
use onceward::store::claim::{Repeat, Standing};
use serde_json::Value;
use serde_json::json;
use std::path::Path;
use support::host::{HostBuilder, TestHost};
use support::observe::output;

async fn host(dir: &Path) -> TestHost {
    HostBuilder::new(dir).step("lead_intake").start().await
}

fn event(id: Option<&str>, time: &str, data: &Value) -> Event {
    let mut envelope = json!({ "source": "web-form", "time": time, "data": data });
    if let Some(id) = id {
        envelope["id"] = json!(id);
    }
    Event::parse(envelope.to_string().as_bytes()).expect("a well-formed event")
}

fn message(id: &str, data: &Value) -> Event {
    event(Some(id), "2026-11-29T11:00:00+01:00", data)
}

#[tokio::test]
async fn a_message_is_brought_into_one_form_and_marked_received() {
    let dir = tempfile::tempdir().unwrap();
    let host = host(dir.path()).await;
    let form = json!({
        "channel": "Web Form", "name": " Ada  Lovelace", "email": "Ada@Example.com", "phone": "0044 20 7946 0018",
        "country": "gb", "subject": "Offer", "message": "Please call.\r\nSoon.", "date": "Sun, 29 Nov 2026 10:00:00 +0000",
        "files": [{ "filename": "plans/hall.pdf", "content_type": "Application/PDF", "size": 12,
            "sha256": "AB".repeat(32), "url": "https://files.example.com/1?expires=9" }],
    });
    let ended = host.ran(INTAKE, &message("m-1", &form)).await;
    assert_eq!(
        output(&ended),
        json!({
            "source": "web-form", "message_id": "m-1", "sent_at": "2026-11-29T10:00:00Z", "channel": "web-form",
            "contact": { "name": "Ada Lovelace", "email": "ada@example.com", "phone": "+442079460018", "country": "GB" },
            "text": "Offer\n\nPlease call.\nSoon.",
            "attachments": [{ "name": "hall.pdf", "type": "application/pdf", "size": 12, "sha256": "ab".repeat(32),
                "address": "https://files.example.com/1?expires=9" }],
        })
    );
    assert_eq!(host.stage(&ended.work).await.as_deref(), Some("received"));
}

#[tokio::test]
async fn what_cannot_be_read_costs_no_lead_and_a_person_is_asked_to_look() {
    let dir = tempfile::tempdir().unwrap();
    let host = host(dir.path()).await;
    let ended = host.ran(INTAKE, &message("m-1", &json!({ "email": "ada at example", "text": "Hi" }))).await;
    let End::Done { output, needs_review: Some(reason) } = &ended.end else { panic!("{:?}", ended.end) };
    assert!(output.contains("ada at example") && reason.contains("e-mail address"), "{output}: {reason}");
    assert!(!reason.contains("ada"), "a reason repeats nothing that a stranger typed: {reason}");

    let ended = host.ran(INTAKE, &message("m-2", &json!({ "text": ["Hi"] }))).await;
    assert!(matches!(&ended.end, End::Review(why) if why.contains("`/text`")), "{:?}", ended.end);
}

#[tokio::test]
async fn one_contact_with_two_enquiries_is_two_leads_and_one_enquiry_sent_twice_is_one() {
    let dir = tempfile::tempdir().unwrap();
    let host = host(dir.path()).await;
    let enquiry = json!({ "email": "ada@example.com", "text": "What is the price?" });
    host.done(INTAKE, &message("m-1", &enquiry)).await;
    host.done(INTAKE, &message("m-2", &enquiry)).await;
    let again = host.answered(INTAKE, &message("m-1", &enquiry)).await;
    assert!(matches!(again.standing, Standing::Done(Repeat::Original { .. })), "{again:?}");
    assert_eq!(host.works().await.len(), 2);
}

#[tokio::test]
async fn where_the_provider_has_no_message_id_the_original_time_decides_and_an_id_is_derived() {
    let dir = tempfile::tempdir().unwrap();
    let host = host(dir.path()).await;
    let enquiry = json!({ "text": "Hello" });
    let at = |time: &str| event(None, time, &enquiry);
    let lost = host.hold(INTAKE, &at("2026-11-29T10:00:00Z")).await.run(&host.dispatcher).await;
    let RunEnded::Finished { output: before, .. } = &lost.run().ended else {
        panic!("{:?}", lost.run().ended)
    };
    let before: Value = serde_json::from_str(before).unwrap();
    drop(lost);
    host.pass(3_600_000).await;
    let first = host.done(INTAKE, &at("2026-11-29T11:00:00+01:00")).await;
    assert_eq!(first, before, "the same instant is the same message, also on a second attempt");
    let other = host.done(INTAKE, &at("2026-11-29T10:00:00.0001Z")).await;
    assert_ne!(other["message_id"], first["message_id"]);
}

#[tokio::test]
async fn where_files_lie_may_change_and_what_was_written_may_not() {
    let dir = tempfile::tempdir().unwrap();
    let host = host(dir.path()).await;
    let sent = |text: &str, expires: u32, sent_at: &str| {
        let address = format!("https://files.example.com/1?expires={expires}");
        message(
            "m-1",
            &json!({
                "text": text, "sent_at": sent_at, "attachments": [{ "name": "hall.pdf", "address": address }],
            }),
        )
    };
    host.done(INTAKE, &sent("Hello", 1, "2026-11-29T10:00:00Z")).await;
    let again = host.answered(INTAKE, &sent("Hello", 2, "2026-11-29T11:00:00+01:00")).await;
    assert!(matches!(again.standing, Standing::Done(_)), "{again:?}");
    let changed = host.answered(INTAKE, &sent("Goodbye", 2, "2026-11-29T10:00:00Z")).await;
    assert!(matches!(changed.standing, Standing::Mismatch { .. }), "{changed:?}");
}
