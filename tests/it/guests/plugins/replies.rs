//! `reply-writer` and `reply-recorder`: a draft is held, goes out once, and only then is the enquiry replied.

use crate::guests::plugins::INTAKE;
use crate::guests::plugins::LeadFlow;
use crate::guests::plugins::TRIAGE;
use crate::guests::plugins::approve;
use crate::guests::plugins::held;
use onceward::dispatch::end::End;
use onceward::models::ModelError;
use onceward::store::approval::Approved;
use onceward::store::outbox::RowState;
use serde_json::Value;
use serde_json::json;
use support::host::event;

fn enquiry(text: &str, conversation: &str) -> Value {
    json!({ "email": "ada@example.com", "name": "Ada", "text": text, "conversation": conversation })
}

#[tokio::test]
async fn a_reply_is_held_goes_out_once_and_only_then_is_the_enquiry_replied() {
    let flow = LeadFlow::start().await;
    flow.host.oracle.next(Ok(TRIAGE));
    let lead = event("m-1", &enquiry("What is the price?", "c-1"));
    let first = flow.host.ran(INTAKE, &lead).await;
    flow.quiet().await;
    assert_eq!(flow.received("messages").await, [] as [Value; 0], "nobody has approved it");
    assert_eq!(flow.host.stage(&first.work).await.as_deref(), Some("owned"));

    let draft = flow.row_to("messages").await;
    assert_eq!(approve(&flow.host, &draft, "Noor").await, Approved::Applied);
    let second = approve(&flow.host, &draft, "Kim").await;
    assert!(matches!(&second, Approved::Already { by, .. } if by == "Noor"), "{second:?}");
    assert_eq!(flow.host.stage(&first.work).await.as_deref(), Some("owned"), "an approval sends nothing yet");

    flow.receiver.fault(&["lose-reply"]).unwrap();
    flow.quiet().await;
    flow.host.answered(INTAKE, &lead).await;
    flow.quiet().await;
    let messages = flow.received("messages").await;
    assert_eq!(
        messages,
        [json!({
            "to": "ada@example.com", "channel": "email", "text": "Thank you!", "conversation": "c-1",
            "in_reply_to": { "source": "test", "message_id": "m-1" },
        })]
    );
    assert_eq!(flow.host.stage(&first.work).await.as_deref(), Some("replied"));
    let works = flow.host.works().await;
    let recorded: Vec<_> = works.iter().filter(|work| work.step == "reply-recorder").collect();
    assert_eq!(recorded.len(), 1, "one receipt, one record: {works:?}");
}

#[tokio::test]
async fn replies_of_one_conversation_leave_in_order_and_others_do_not_wait() {
    let flow = LeadFlow::start().await;
    for (id, conversation) in [("m-1", "c-1"), ("m-2", "c-1"), ("m-3", "c-2")] {
        flow.host.oracle.next(Ok(&TRIAGE.replace("Thank you!", &format!("Answer to {id}"))));
        flow.host.done(INTAKE, &event(id, &enquiry(id, conversation))).await;
        flow.quiet().await;
    }
    let drafts = held(&flow.host).await;
    let sent = async || -> Vec<String> {
        flow.quiet().await;
        let text = |message: &Value| message["text"].as_str().unwrap_or_default().to_owned();
        flow.received("messages").await.iter().map(text).collect()
    };
    approve(&flow.host, &drafts[1], "Noor").await;
    approve(&flow.host, &drafts[2], "Noor").await;
    assert_eq!(sent().await, ["Answer to m-3"], "the second of a conversation waits for the first");
    approve(&flow.host, &drafts[0], "Noor").await;
    assert_eq!(sent().await, ["Answer to m-3", "Answer to m-1", "Answer to m-2"]);
}

#[tokio::test]
async fn without_a_model_the_standard_text_is_held_and_the_person_is_told_so() {
    let flow = LeadFlow::start().await;
    let down =
        ModelError::Unavailable { model: "classifier".into(), cause: "down".into(), retry_after_ms: None };
    // It is asked three times in all.
    for _ in 0..3 {
        flow.host.oracle.next(Err(down.clone()));
    }
    flow.host.done(INTAKE, &event("m-1", &enquiry("Hello", "c-1"))).await;
    flow.quiet().await;
    let draft = flow.row_to("messages").await;
    assert_eq!(draft.state, RowState::Held);
    assert!(draft.payload.contains("Hello Ada, thank you for your message"), "{}", draft.payload);
    assert!(draft.approval_reason.as_deref().is_some_and(|why| why.contains("not enriched")), "{draft:?}");
}

#[tokio::test]
async fn spam_gets_no_reply_and_where_nobody_can_be_reached_a_person_is_asked_to_look() {
    let flow = LeadFlow::start().await;
    let check = async |id: &str, triage: &str, data: Value, flagged: bool| {
        flow.host.oracle.next(Ok(triage));
        flow.host.done(INTAKE, &event(id, &data)).await;
        let ended = flow.host.work_off().await.into_iter().find(|ended| ended.work.step == "reply-writer");
        let End::Done { output, needs_review } = ended.expect("the writer runs").end else { panic!("{id}") };
        assert_eq!((output.as_str(), needs_review.is_some()), (r#"{"row_id":null}"#, flagged), "{id}");
    };
    let spam = TRIAGE.replace("new-business", "spam");
    check("m-1", &spam, enquiry("Buy pills", "c-1"), false).await;
    check("m-2", TRIAGE, json!({ "text": "Call me, you know who I am" }), true).await;
    assert!(held(&flow.host).await.is_empty());
    flow.quiet().await;
    assert_eq!(flow.received("deals").await.len(), 2, "both are deals all the same");
}
