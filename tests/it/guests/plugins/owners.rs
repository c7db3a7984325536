//! `deal-owner`: what needs the CRM's id goes on from its receipt.

use crate::guests::plugins::INTAKE;
use crate::guests::plugins::LeadFlow;
use onceward::store::work::WorkState;
use serde_json::Value;
use serde_json::json;
use support::host::event;
use support::receiver::Receiver;

fn enquiry() -> Value {
    json!({ "email": "ada@example.com", "country": "GB", "text": "What is the price?" })
}

#[tokio::test]
async fn f26_a_deal_gets_its_owner_under_the_id_that_the_crm_gave() {
    let flow = LeadFlow::start().await;
    let first = flow.host.ran(INTAKE, &event("m-1", &enquiry())).await;
    flow.host.work_off().await;
    // Both answers get lost, and the deal's is only heard of at its second attempt.
    flow.receiver.fault(&["lose-reply"]).unwrap();
    flow.host.deliver_off().await;
    assert_eq!(flow.host.stage(&first.work).await.as_deref(), Some("matched"), "nobody owns it yet");
    flow.host.work_off().await;
    flow.receiver.fault(&["lose-reply"]).unwrap();
    flow.quiet().await;

    let deal = flow.row_to("crm").await.external_reference;
    assert_eq!(deal.as_deref(), Some("deal-1"));
    assert_eq!(flow.received("owners").await, [json!({ "deal": "deal-1", "owner": "sales-isles" })]);
    let all = flow.receiver.deals().await.unwrap();
    let owners: Vec<_> = all.iter().filter(|row| row.kind == "owners").collect();
    assert_eq!(owners[0].value, deal, "the change went to the deal's own address");
    assert_eq!(flow.host.stage(&first.work).await.as_deref(), Some("owned"));
}

#[tokio::test]
async fn a_receipt_without_an_id_waits_for_a_person_and_the_deal_is_not_sent_again() {
    let flow = LeadFlow::start().await;
    flow.host.done(INTAKE, &event("m-1", &enquiry())).await;
    flow.host.work_off().await;
    flow.receiver.fault(&["unreadable-receipt"]).unwrap();
    flow.quiet().await;
    let works = flow.host.works().await;
    let owner = works.iter().find(|work| work.step == "deal-owner").expect("the receipt has its work");
    assert_eq!(owner.state, WorkState::Review, "{owner:?}");
    assert_eq!(flow.received("deals").await.len(), 1);
    assert!(flow.received("owners").await.is_empty());
}

#[tokio::test]
async fn a_host_without_the_step_writes_the_deal_all_the_same_and_says_so() {
    let dir = tempfile::tempdir().unwrap();
    let receiver = Receiver::start(&dir.path().join("receiver")).unwrap();
    let host = LeadFlow::builder(dir.path(), &receiver).start().await;
    let flow = LeadFlow { host, receiver, _dir: dir };
    flow.host.done(INTAKE, &event("m-1", &enquiry())).await;
    flow.quiet().await;
    assert_eq!(flow.received("deals").await.len(), 1);
    let works = flow.host.works().await;
    let writer = works.iter().find(|work| work.step == "crm-writer").expect("the writer has run");
    let notes = flow.host.evidence_of(writer.work_id, "note").await;
    assert!(notes.iter().any(|note| note.contains("deal-owner")), "{notes:?}");
}
