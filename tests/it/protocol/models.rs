//! A model over real HTTP, in every mood: what is asked again, what is recorded, and that the lead is never lost.

use crate::protocol::receiver;
use onceward::clock::SystemClock;
use onceward::connectors::Secret;
use onceward::dispatch::end::End;
use onceward::models::http::{HttpModel, HttpModelSettings, Prices};
use onceward::models::{Model, ModelError, ModelReply, ModelRequest};
use onceward::store::work::WorkState;
use serde_json::{Value, json};
use std::path::Path;
use std::sync::Arc;
use support::host::{HostBuilder, TestHost, event};
use support::model_server::{ModelServer, TOKENS_IN, TOKENS_OUT};
use support::observe::output;
use support::receiver::Receiver;

const TRIAGE: &str = r#"{"type":"support","priority":"low","summary":"call {n}","reply":"r","confidence":1}"#;

fn settings(base_url: &str) -> HttpModelSettings {
    HttpModelSettings {
        base_url: base_url.to_owned(),
        model: "gpt-x".to_owned(),
        authorization: Some(Secret::new("Bearer sk-live-4815162342")),
        connect_timeout_ms: 2_000,
        request_timeout_ms: 2_000,
        max_tokens: None,
        prices: Some(Prices { input_per_million: 1.0, output_per_million: 2.0 }),
        allow_private_addresses: true,
    }
}

fn model(settings: HttpModelSettings) -> Arc<HttpModel> {
    Arc::new(HttpModel::new(settings, Arc::new(SystemClock)).expect("the settings are usable"))
}

async fn ask(model: &HttpModel) -> ModelReply {
    let request = ModelRequest {
        model: "oracle".to_owned(),
        prompt_version: "1".to_owned(),
        prompt: "Classify.".to_owned(),
        temperature: 0.0,
        input: r#"{"text":"the secret of Ada"}"#.to_owned(),
        schema: Some(r#"{"type":"object"}"#.to_owned()),
    };
    model.ask(&request).await
}

/// A classifier and a writer to a CRM, with this model.
async fn lead_flow(dir: &Path, crm: &Receiver, server: &ModelServer) -> TestHost {
    server.answer(TRIAGE);
    let builder = HostBuilder::new(dir).step("lead_classifier").step("crm_writer");
    let builder = builder.flow(&["lead-classifier", "crm-writer"]).crm_at(&crm.url("/deals"));
    builder.model(model(settings(&server.base_url()))).start().await
}

fn lead(id: &str) -> onceward::identity::event::Event {
    event(id, &json!({ "source": "form", "message_id": id, "text": id }))
}

#[tokio::test]
async fn a_call_carries_key_question_and_schema_and_its_price_comes_back() {
    let server = ModelServer::start().unwrap();
    let reply = ask(&model(settings(&server.base_url()))).await;
    assert_eq!(reply.answer.as_deref(), Ok(r#"{"call":1}"#));
    let usage = (reply.usage.tokens_in, reply.usage.tokens_out, reply.usage.cost_micros);
    assert_eq!(usage, (Some(TOKENS_IN), Some(TOKENS_OUT), Some(TOKENS_IN + 2 * TOKENS_OUT)));
    let heard = server.heard().remove(0);
    assert_eq!(heard.authorization.as_deref(), Some("Bearer sk-live-4815162342"));
    assert_eq!(heard.body["model"], "gpt-x");
    assert_eq!(heard.body["messages"][1]["content"], r#"{"text":"the secret of Ada"}"#);
    assert_eq!(heard.body["response_format"]["json_schema"]["schema"], json!({ "type": "object" }));
}

#[tokio::test]
async fn every_mood_of_a_provider_has_its_class_and_quotes_neither_key_nor_question() {
    let server = ModelServer::start().unwrap();
    let short = HttpModelSettings { request_timeout_ms: 300, ..settings(&server.base_url()) };
    let model = model(short);
    for (mode, name, may_pass, wait_ms) in [
        ("429:7", "429", true, Some(7_000)),
        ("status:500", "500 (server_error", true, None),
        ("status:503", "503", true, None),
        ("status:408", "408", true, None),
        ("slow:3000", "no reply came", true, None),
        ("not-json", "not JSON", true, None),
        ("status:400", "400 (server_error", false, None),
        ("status:401", "`api_key`", false, None),
        ("status:404", "404", false, None),
        ("status:302", "redirects are not followed", false, None),
        ("refusal", "the model refuses", false, None),
        ("filter", "a content filter", false, None),
        ("cut", "cut off", false, None),
    ] {
        server.order(&[mode]).unwrap();
        let error = ask(&model).await.answer.unwrap_err();
        let text = error.to_string();
        assert!(text.contains(name) && text.contains("`oracle`"), "{mode}: {text}");
        assert_eq!((error.may_pass(), error.retry_after_ms()), (may_pass, wait_ms), "{mode}");
        assert!(!text.contains("4815162342") && !text.contains("Ada"), "{mode}: {text}");
    }
    server.order(&["echo"]).unwrap();
    let echoed = ask(&model).await.answer.unwrap();
    assert!(!echoed.contains("4815162342") && echoed.contains("[redacted]"), "{echoed}");
}

#[tokio::test]
async fn s26_a_model_in_a_private_network_needs_the_operators_word_and_plain_text_stays_there() {
    let server = ModelServer::start().unwrap();
    let closed = HttpModelSettings { allow_private_addresses: false, ..settings(&server.base_url()) };
    let refused = HttpModel::new(closed, Arc::new(SystemClock)).err().expect("it is refused").to_string();
    assert!(refused.contains("allow_private_addresses"), "{refused}");
    let public = settings("http://9.9.9.9/v1");
    let refused = HttpModel::new(public, Arc::new(SystemClock)).err().expect("it is refused").to_string();
    assert!(refused.contains("use https"), "{refused}");
    assert_eq!(server.calls(), 0);
}

#[tokio::test]
async fn a_provider_that_fails_twice_is_asked_three_times_and_its_answer_is_used() {
    let dir = tempfile::tempdir().unwrap();
    let (crm, server) = (receiver(dir.path()), ModelServer::start().unwrap());
    let host = lead_flow(dir.path(), &crm, &server).await;
    for modes in
        [["status:500", "status:503"], ["not-json", "prose"], ["misfit", "misfit"], ["429:1", "status:500"]]
    {
        server.order(&modes).unwrap();
        let calls = server.calls();
        let ended = host.ran("lead-classifier", &lead(modes.join(" ").as_str())).await;
        assert_eq!(output(&ended)["enriched"], json!(true), "{modes:?}");
        assert_eq!((server.calls() - calls, ended.work.attempt), (3, 1), "{modes:?}");
    }
}

#[tokio::test]
async fn without_an_answer_the_lead_goes_on_to_the_crm_unenriched_and_flagged() {
    let dir = tempfile::tempdir().unwrap();
    let (crm, server) = (receiver(dir.path()), ModelServer::start().unwrap());
    let host = lead_flow(dir.path(), &crm, &server).await;
    for (mode, calls, flag) in [
        ("status:500", 3, "after 3 calls"),
        ("misfit", 3, "does not fit the schema"),
        ("prose", 3, "not usable JSON"),
        ("status:401", 1, "renew the key"),
        ("refusal", 1, "declined"),
        ("cut", 1, "cut off"),
    ] {
        server.order(&vec![mode; calls]).unwrap();
        let before = server.calls();
        let ended = host.ran("lead-classifier", &lead(mode)).await;
        let End::Done { output, needs_review: Some(reason) } = &ended.end else { panic!("{:?}", ended.end) };
        let output: Value = serde_json::from_str(output).unwrap();
        assert_eq!((&output["enriched"], &output["text"]), (&json!(false), &json!(mode)), "{mode}");
        assert!(reason.contains("not enriched") && reason.contains(flag), "{mode}: {reason}");
        assert_eq!(server.calls() - before, calls, "{mode}");
    }
    host.work_off().await;
    host.deliver_off().await;
    assert_eq!(crm.counts().await.unwrap().created, 6, "every lead is a deal");
    assert!(host.works().await.iter().all(|work| work.state == WorkState::Done));
}

#[tokio::test]
async fn a_provider_that_is_not_there_does_not_cost_the_lead() {
    let dir = tempfile::tempdir().unwrap();
    let (crm, server) = (receiver(dir.path()), ModelServer::start().unwrap());
    let host = lead_flow(dir.path(), &crm, &server).await;
    drop(server);
    let ended = host.ran("lead-classifier", &lead("m-1")).await;
    let End::Done { needs_review: Some(reason), .. } = &ended.end else { panic!("{:?}", ended.end) };
    assert!(reason.contains("connecting failed") && reason.contains("after 3 calls"), "{reason}");
    host.work_off().await;
    host.deliver_off().await;
    assert_eq!(crm.counts().await.unwrap().created, 1);
}

#[tokio::test]
async fn s04_one_draft_reaches_the_crm_whatever_the_number_of_retries() {
    let dir = tempfile::tempdir().unwrap();
    let (crm, server) = (receiver(dir.path()), ModelServer::start().unwrap());
    let host = lead_flow(dir.path(), &crm, &server).await;
    // A model that never says the same twice, and a host that dies before every settle.
    for attempt in 1..=4 {
        drop(host.hold("lead-classifier", &lead("m-1")).await.run(&host.dispatcher).await);
        host.pass(3_600_000).await;
        assert_eq!(server.calls(), 1, "attempt {attempt}");
    }
    let ended = host.ran("lead-classifier", &lead("m-1")).await;
    assert_eq!(output(&ended)["summary"], json!("call 1"));
    host.work_off().await;
    host.deliver_off().await;
    assert_eq!((server.calls(), host.rows().await.len()), (1, 1));
    let deals = crm.deals().await.unwrap();
    assert!(deals.len() == 1 && deals[0].body.contains("call 1"), "{deals:?}");
}

#[tokio::test]
async fn a_model_that_is_not_there_at_all_is_named() {
    let server = ModelServer::start().unwrap();
    let unknown = HttpModelSettings { base_url: server.base_url().replace("/v1", "/v2"), ..settings("") };
    let error = ask(&model(unknown)).await.answer.unwrap_err();
    assert!(matches!(&error, ModelError::Refused { cause, .. } if cause.contains("404")), "{error}");
}
