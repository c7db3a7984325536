//! `lead-classifier`, in each language that it is written in, and `crm-writer`: whatever the model says, one deal a lead.

use crate::guests::plugins::TRIAGE;
use onceward::dispatch::end::End;
use onceward::models::ModelError;
use onceward::store::work::WorkState;
use serde_json::Value;
use serde_json::json;
use support::host::HostBuilder;
use support::host::TestHost;
use support::host::event;
use support::observe::output;
use support::receiver::Receiver;

in_each_language![
    a_lead_becomes_one_deal_with_what_the_model_said,
    without_a_model_the_lead_still_becomes_a_deal_and_is_flagged,
    s03_one_contact_with_two_enquiries_is_two_deals,
    a_lead_without_its_identity_is_refused_by_name_and_nothing_is_recorded,
    a_lead_of_another_shape_goes_to_a_person_who_is_told_where,
];

async fn flow(dir: &std::path::Path, receiver: &Receiver, classifier: &str) -> TestHost {
    HostBuilder::new(dir)
        .step(classifier)
        .step("crm_writer")
        .flow(&["lead-classifier", "crm-writer"])
        .crm_at(&receiver.url("/deals"))
        .start()
        .await
}

fn lead(message_id: &str) -> Value {
    json!({
        "source": "web-form", "message_id": message_id, "contact": { "name": "Kim Example", "email": "kim@example.com" },
        "text": "Could you send me a quote?",
    })
}

async fn a_lead_becomes_one_deal_with_what_the_model_said(classifier: &str) {
    let dir = tempfile::tempdir().expect("a temporary folder");
    let receiver = Receiver::start(&dir.path().join("crm")).expect("a receiver");
    let host = flow(dir.path(), &receiver, classifier).await;
    host.oracle.next(Ok(TRIAGE));
    let event = event("1", &lead("m-1"));
    let classified = host.ran("lead-classifier", &event).await;
    let out = output(&classified);
    assert_eq!(
        (&out["enriched"], &out["type"], &out["text"]),
        (&json!(true), &json!("new-business"), &lead("m-1")["text"])
    );
    assert_eq!(host.stage(&classified.work).await.as_deref(), Some("received"));
    let notes = host.evidence_of(classified.work.work_id, "note").await;
    assert_eq!(notes, ["enriched, and the model was confident"]);

    let written = host.work_off().await;
    assert_eq!(written.len(), 1, "the follow-up runs once: {written:?}");
    assert_eq!(output(&written[0])["title"], json!("new-business: Kim Example"));
    assert_eq!(host.stage(&classified.work).await.as_deref(), Some("matched"));
    assert_eq!((written[0].work.chain_depth, written[0].work.root_key), (1, classified.work.root_key));

    // The provider sends it again, at every moment that is left.
    host.answered("lead-classifier", &event).await;
    host.deliver_off().await;
    host.answered("lead-classifier", &event).await;
    assert!(host.work_off().await.is_empty());
    assert!(host.deliver_off().await.attempts.is_empty());

    let deals = receiver.deals().await.expect("the receiver's file");
    assert_eq!(deals.len(), 1);
    let body: Value = serde_json::from_str(&deals[0].body).expect("JSON");
    assert_eq!((&body["priority"], &body["summary"]), (&json!("high"), &json!("Wants a quote.")));
    assert_eq!(body["reference"], json!({ "source": "web-form", "message_id": "m-1" }));
    assert_eq!(host.row().await.external_reference.as_deref(), Some(deals[0].id.as_str()));
    assert_eq!(host.oracle.calls(), 1);
}

async fn without_a_model_the_lead_still_becomes_a_deal_and_is_flagged(classifier: &str) {
    let dir = tempfile::tempdir().expect("a temporary folder");
    let receiver = Receiver::start(&dir.path().join("crm")).expect("a receiver");
    let host = flow(dir.path(), &receiver, classifier).await;
    let down =
        || ModelError::Unavailable { model: "classifier".into(), cause: "down".into(), retry_after_ms: None };
    let check = async |id: &str, answer: Result<&str, ModelError>, enriched: bool, flag: &str| {
        // Whatever is asked again gets the same.
        let calls = host.oracle.calls();
        for _ in 0..if enriched { 1 } else { 3 } {
            host.oracle.next(answer.clone());
        }
        let payload = json!({ "source": "web-form", "message_id": id, "text": id });
        let ended = host.ran("lead-classifier", &event(id, &payload)).await;
        let End::Done { output, needs_review: Some(reason) } = &ended.end else { panic!("{:?}", ended.end) };
        let out: Value = serde_json::from_str(output).expect("JSON");
        assert_eq!(out["enriched"], json!(enriched), "{id}");
        assert_eq!(host.oracle.calls() - calls, if enriched { 1 } else { 3 }, "{id}");
        assert!(reason.contains(flag), "{id}: {reason}");
        let decided = host.evidence_of(ended.work.work_id, "decided").await;
        assert_eq!(decided.len(), usize::from(enriched), "{id}: {decided:?}");
    };
    check("model down", Err(down()), false, "the model failed").await;
    check("unusable answer", Ok(r#"{"type":"weather"}"#), false, "does not fit the schema").await;
    check("no json", Ok("sure!"), false, "does not fit the schema").await;
    check("unsure", Ok(&TRIAGE.replace("0.9", "0.3")), true, "confidence 0.3").await;

    assert_eq!(host.work_off().await.len(), 4);
    host.deliver_off().await;
    assert_eq!(receiver.counts().await.expect("the receiver counts").created, 4);
    assert!(host.works().await.iter().all(|work| work.state == WorkState::Done));
}

async fn s03_one_contact_with_two_enquiries_is_two_deals(classifier: &str) {
    let dir = tempfile::tempdir().expect("a temporary folder");
    let receiver = Receiver::start(&dir.path().join("crm")).expect("a receiver");
    let host = flow(dir.path(), &receiver, classifier).await;
    host.oracle.next(Ok(TRIAGE));
    for message in ["m-1", "m-2"] {
        host.done("lead-classifier", &event(message, &lead(message))).await;
    }
    host.work_off().await;
    host.deliver_off().await;
    let counts = receiver.counts().await.expect("the receiver counts");
    assert_eq!((counts.created, counts.requests), (2, 2));
    // The two messages say the same, so that one answer serves both.
    assert_eq!(host.oracle.calls(), 1);
}

async fn a_lead_without_its_identity_is_refused_by_name_and_nothing_is_recorded(classifier: &str) {
    let dir = tempfile::tempdir().expect("a temporary folder");
    let receiver = Receiver::start(&dir.path().join("crm")).expect("a receiver");
    let host = flow(dir.path(), &receiver, classifier).await;
    for step in ["lead-classifier", "crm-writer"] {
        let error = host
            .run(step, &event("1", &json!({ "source": "web-form", "text": "hi" })))
            .await
            .expect_err("no identity");
        let why = std::error::Error::source(&error).map(ToString::to_string).unwrap_or_default();
        assert!(why.contains("/message_id"), "{error}: {why}");
    }
    assert!(host.works().await.is_empty() && host.rows().await.is_empty());
}

async fn a_lead_of_another_shape_goes_to_a_person_who_is_told_where(classifier: &str) {
    let dir = tempfile::tempdir().expect("a temporary folder");
    let receiver = Receiver::start(&dir.path().join("crm")).expect("a receiver");
    let host = flow(dir.path(), &receiver, classifier).await;
    for (id, changed, place) in [
        ("1", json!({ "contact": { "email": 7 } }), "`/contact/email`"),
        ("2", json!({ "contact": null }), "`/contact`"),
        (
            "3",
            json!({ "attachments": [{ "name": "a" }, { "name": "b", "size": 1.5 }] }),
            "`/attachments/1/size`",
        ),
        ("4", json!({ "attachments": null }), "`/attachments`"),
        ("5", json!({ "enriched": "yes" }), "`/enriched`"),
    ] {
        let mut payload = lead(id);
        payload.as_object_mut().expect("an object").extend(changed.as_object().expect("an object").clone());
        let ended = host.ran("lead-classifier", &event(id, &payload)).await;
        assert!(matches!(&ended.end, End::Review(why) if why.contains(place)), "{payload}: {:?}", ended.end);
    }
    assert_eq!(host.oracle.calls(), 0);
}
