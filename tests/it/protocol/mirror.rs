//! Progress that is told elsewhere, by rows like any other.

use crate::protocol::receiver;
use onceward::store::outbox::RowState;
use serde_json::{Value, json};
use support::host::{HostBuilder, event};
use support::receiver::Receiver;

fn told(rows: &[onceward::store::outbox::OutboxRow]) -> Vec<(String, Value)> {
    let payload = |row: &onceward::store::outbox::OutboxRow| {
        let mut payload: Value = serde_json::from_str(&row.payload).expect("a row is JSON");
        let at = payload.as_object_mut().and_then(|payload| payload.remove("at"));
        assert_eq!(at.as_ref().and_then(Value::as_str), Some("2026-01-01T00:00:00.000Z"), "{row:?}");
        (row.slot.clone(), payload)
    };
    rows.iter().map(payload).collect()
}

#[tokio::test]
async fn each_stage_that_a_handoff_reaches_is_told_once_and_in_order() {
    let dir = tempfile::tempdir().unwrap();
    let receiver: Receiver = receiver(dir.path());
    let host = HostBuilder::new(dir.path())
        .step("advances")
        .crm_at(&receiver.url("/deals"))
        .mirror_to_crm()
        .start()
        .await;
    let first = event("1", &json!({ "stages": ["received", "matched"] }));
    let key = host.ran("advances", &first).await.work.readable_key.clone();
    let rows = host.rows().await;
    // The run went through two stages, and the handoff is at the second.
    let expected = json!({ "key": key, "stage": "matched" });
    assert_eq!(told(&rows), [("progress:matched".to_owned(), expected)]);
    assert!(rows[0].ordering_key.is_some(), "a handoff's stages leave in order");
    host.answered("advances", &first).await;
    host.deliver_off().await;
    assert_eq!(host.row_states().await, [RowState::Sent]);
    assert_eq!(receiver.counts().await.unwrap().created, 1);
}

#[tokio::test]
async fn the_steps_of_a_flow_tell_the_key_of_the_event() {
    let dir = tempfile::tempdir().unwrap();
    let receiver = receiver(dir.path());
    let builder = HostBuilder::new(dir.path()).step("lead_classifier").step("crm_writer");
    let host = builder
        .flow(&["lead-classifier", "crm-writer"])
        .crm_at(&receiver.url("/deals"))
        .mirror_to_crm()
        .start()
        .await;
    let triage = r#"{"type":"support","priority":"low","summary":"s","reply":"r","confidence":1}"#;
    host.oracle.next(Ok(triage));
    let lead = event("1", &json!({ "source": "form", "message_id": "m-1", "text": "hi" }));
    let key = host.ran("lead-classifier", &lead).await.work.readable_key.clone();
    host.work_off().await;
    let rows: Vec<_> =
        host.rows().await.into_iter().filter(|row| row.slot.starts_with("progress:")).collect();
    assert!(!rows.is_empty());
    for (slot, payload) in told(&rows) {
        assert_eq!(payload["key"], json!(key), "{slot}");
        assert_eq!(slot, format!("progress:{}", payload["stage"].as_str().unwrap()));
    }
}
