//! A decision is a plan: a person reads it, approves it or stops it before anything is applied.

use onceward::dispatch::end::End;
use onceward::models::ModelError;
use onceward::store::decided::{DecisionEntry, DecisionFilter};
use onceward::store::operate::{Actor, WorkDecision};
use onceward::store::slot::{Seen, SlotDecided, SlotDecision, SlotRef};
use onceward::store::work::{WorkRecord, WorkRef, WorkState};
use serde_json::{Value, json};
use std::path::Path;
use support::host::{HostBuilder, NAMESPACE, TestHost, event};
use support::observe::output;
use support::receiver::Receiver;

const SEEN: Seen = Seen { revision: None, answer: None };
const APPROVE: SlotDecision = SlotDecision::Approve(SEEN);
const REJECT: SlotDecision = SlotDecision::Reject(SEEN);
const RENEW: SlotDecision = SlotDecision::Renew(SEEN);

const TRIAGE: &str = r#"{"type":"support","priority":"low","summary":"s","reply":"r","confidence":1}"#;

fn actor() -> Actor {
    Actor { name: "Noor".to_owned(), reason: "read it".to_owned(), action: None }
}

async fn say(host: &TestHost, work: &WorkRecord, slot: &str, decision: SlotDecision) -> SlotDecided {
    let work = WorkRef { namespace: NAMESPACE.to_owned(), id: work.work_id };
    let slot = SlotRef { work, slot: slot.to_owned() };
    host.store.decision_decide(slot, decision, actor()).await.expect("the ledger works")
}

async fn decisions(host: &TestHost) -> Vec<DecisionEntry> {
    let namespace = NAMESPACE.to_owned();
    let filter = DecisionFilter { namespace, work: None, slot: None, waiting: false, limit: 100 };
    host.store.decision_list(filter).await.expect("the ledger works")
}

/// A flow whose triage a person must approve, and the CRM that it writes to.
async fn lead_flow(dir: &Path, expires_ms: Option<u64>) -> (Receiver, TestHost) {
    let crm = Receiver::start(&dir.join("crm")).expect("the receiver starts");
    let builder = HostBuilder::new(dir).step("lead_classifier").step("crm_writer");
    let builder = builder.flow(&["lead-classifier", "crm-writer"]).crm_at(&crm.url("/deals"));
    (crm, builder.hold(&["triage"], expires_ms).start().await)
}

fn lead() -> onceward::identity::event::Event {
    event("m-1", &json!({ "source": "form", "message_id": "m-1", "text": "hi" }))
}

/// The work of a run that was held for this slot.
fn held(ended: &onceward::dispatch::end::Ended, slot: &str) -> WorkRecord {
    assert_eq!(ended.end, End::Review(format!("decision {slot:?} waits for approval")));
    (*ended.work).clone()
}

#[tokio::test]
async fn s04_one_draft_waits_for_approval_and_that_one_goes_out_once() {
    let dir = tempfile::tempdir().unwrap();
    let (crm, host) = lead_flow(dir.path(), None).await;
    host.oracle.next(Ok(TRIAGE));
    let work = held(&host.ran("lead-classifier", &lead()).await, "triage");
    // The event comes again, and an operator runs the work again: there is one draft all the same, and one call.
    host.answered("lead-classifier", &lead()).await;
    let reference = WorkRef { namespace: NAMESPACE.to_owned(), id: work.work_id };
    host.store.work_decide(reference, WorkDecision::Replay { due_in_ms: 0 }, actor()).await.unwrap();
    held(&host.work_off().await[0], "triage");
    assert_eq!((host.oracle.calls(), decisions(&host).await.len()), (1, 1));
    host.deliver_off().await;
    assert_eq!(crm.counts().await.unwrap().requests, 0, "nothing is applied before the approval");

    assert_eq!(say(&host, &work, "triage", APPROVE).await, SlotDecided::Applied { work: WorkState::Waiting });
    assert_eq!(say(&host, &work, "triage", APPROVE).await, SlotDecided::Already);
    let ended = host.work_off().await;
    assert_eq!(output(&ended[0])["enriched"], json!(true));
    assert_eq!(ended[0].work.attempt, 1, "with a fresh budget");
    host.deliver_off().await;
    assert_eq!((host.oracle.calls(), crm.counts().await.unwrap().created), (1, 1));
    let kinds: Vec<String> = host.evidence(work.work_id).await.into_iter().map(|(kind, _)| kind).collect();
    for kind in ["decided", "held", "approved", "replayed"] {
        assert_eq!(kinds.iter().filter(|it| *it == kind).count(), 1, "{kind}: {kinds:?}");
    }
}

#[tokio::test]
async fn a_rejected_plan_never_reaches_the_step_and_the_lead_goes_on_without_it() {
    let dir = tempfile::tempdir().unwrap();
    let (crm, host) = lead_flow(dir.path(), None).await;
    host.oracle.next(Ok(TRIAGE));
    let work = held(&host.ran("lead-classifier", &lead()).await, "triage");
    assert_eq!(say(&host, &work, "triage", REJECT).await, SlotDecided::Applied { work: WorkState::Waiting });
    let ended = host.work_off().await;
    let End::Done { output, needs_review: Some(reason) } = &ended[0].end else {
        panic!("{:?}", ended[0].end)
    };
    let output: Value = serde_json::from_str(output).unwrap();
    assert_eq!(output["enriched"], json!(false));
    assert!(reason.contains("Noor says: read it"), "{reason}");
    host.deliver_off().await;
    assert_eq!((host.oracle.calls(), crm.counts().await.unwrap().created), (1, 1));
}

#[tokio::test]
async fn a_renewed_plan_is_asked_anew_though_the_question_has_an_answer() {
    let dir = tempfile::tempdir().unwrap();
    let (_crm, host) = lead_flow(dir.path(), Some(60_000)).await;
    host.oracle.next(Ok(TRIAGE));
    host.oracle.next(Ok(&TRIAGE.replace("\"s\"", "\"second\"")));
    let work = held(&host.ran("lead-classifier", &lead()).await, "triage");
    host.pass(60_001).await;
    assert!(matches!(say(&host, &work, "triage", APPROVE).await, SlotDecided::Expired(_)));
    assert_eq!(say(&host, &work, "triage", RENEW).await, SlotDecided::Applied { work: WorkState::Waiting });
    held(&host.work_off().await[0], "triage");
    let entry = decisions(&host).await.remove(0);
    assert_eq!((host.oracle.calls(), entry.revision), (2, 2));
    // What was shown before the renewal is not what is approved now.
    let stale = SlotDecision::Approve(Seen { revision: Some(1), answer: None });
    assert!(matches!(say(&host, &work, "triage", stale).await, SlotDecided::Changed { revision: 2, .. }));
    let hash = entry.decided.expect("it is decided").answer_hash;
    let seen = SlotDecision::Approve(Seen { revision: Some(2), answer: Some(hash) });
    assert_eq!(say(&host, &work, "triage", seen).await, SlotDecided::Applied { work: WorkState::Waiting });
    let ended = host.work_off().await;
    assert_eq!(output(&ended[0])["summary"], json!("second"));
    assert_eq!(say(&host, &work, "triage", RENEW).await, SlotDecided::Committed);
    assert_eq!(host.oracle.calls(), 2);
}

#[tokio::test]
async fn a_dead_works_decision_is_renewed_and_its_run_may_go_another_way() {
    let dir = tempfile::tempdir().unwrap();
    let host = HostBuilder::new(dir.path()).step("decides").attempts(1).start().await;
    let event = event("1", &json!({ "prompt_version": "1" }));
    let lost = host.hold("decides", &event).await.run(&host.dispatcher).await;
    drop(lost);
    host.pass(3_600_000).await;
    assert!(host.dispatcher.take("decides").await.unwrap().is_none(), "its one attempt is used up");
    let work = host.works().await.remove(0);
    assert_eq!(work.state, WorkState::Dead);
    assert_eq!(say(&host, &work, "answer", RENEW).await, SlotDecided::Applied { work: WorkState::Waiting });
    let ended = host.work_off().await;
    assert_eq!(output(&ended[0]), json!({ "answer": { "call": 2 }, "origin": "asked" }));
}

#[tokio::test]
async fn recalls_what_is_approved_and_is_held_before() {
    let dir = tempfile::tempdir().unwrap();
    let host = HostBuilder::new(dir.path()).step("recalls").hold(&["answer"], None).start().await;
    let work = held(&host.ran("recalls", &event("1", &json!({}))).await, "answer");
    let replay = WorkRef { namespace: NAMESPACE.to_owned(), id: work.work_id };
    host.store.work_decide(replay, WorkDecision::Replay { due_in_ms: 0 }, actor()).await.unwrap();
    held(&host.work_off().await[0], "answer");
    say(&host, &work, "answer", APPROVE).await;
    assert_eq!(output(&host.work_off().await[0]), json!({ "recalled": { "call": 1 } }));

    let other = held(&host.ran("recalls", &event("2", &json!({}))).await, "answer");
    say(&host, &other, "answer", REJECT).await;
    let End::Review(reason) = &host.work_off().await[0].end else { panic!("a person is asked") };
    assert!(reason.contains("Noor says: read it"), "{reason}");
}

#[tokio::test]
async fn an_answer_by_rule_is_held_and_kept_like_any_other() {
    let dir = tempfile::tempdir().unwrap();
    let host = HostBuilder::new(dir.path()).step("caches_rule").hold(&["rule"], None).start().await;
    let work = held(&host.ran("caches-rule", &event("1", &json!({}))).await, "rule");
    say(&host, &work, "rule", APPROVE).await;
    let answers = output(&host.work_off().await[0]);
    assert_eq!(answers["first"], json!({ "answer": "first", "origin": "pinned" }));
    assert_eq!(answers["second"], answers["first"]);

    // Renewed before it is approved, the step finds it again, as another revision.
    let work = held(&host.ran("caches-rule", &event("2", &json!({}))).await, "rule");
    say(&host, &work, "rule", RENEW).await;
    held(&host.work_off().await[0], "rule");
    let entry = decisions(&host).await.into_iter().find(|entry| entry.work_id == work.work_id);
    assert_eq!(entry.map(|entry| entry.revision), Some(2));
}

#[tokio::test]
async fn a_model_that_fails_holds_nobody() {
    let dir = tempfile::tempdir().unwrap();
    let (_crm, host) = lead_flow(dir.path(), None).await;
    host.oracle.next(Err(ModelError::Refused { model: "classifier".into(), cause: "no".into() }));
    let ended = host.ran("lead-classifier", &lead()).await;
    assert!(matches!(&ended.end, End::Done { needs_review: Some(_), .. }), "{:?}", ended.end);
    let totals = host.store.decision_totals(NAMESPACE).await.unwrap();
    assert_eq!((totals[0].calls, totals[0].failed_calls, totals[0].cost_micros), (1, 1, 7));
    assert_eq!(host.evidence_of(ended.work.work_id, "undecided").await.len(), 1);
}

#[tokio::test]
async fn once_asked_for_an_approval_is_needed_whatever_the_operator_configures_later() {
    let dir = tempfile::tempdir().unwrap();
    let (_crm, host) = lead_flow(dir.path(), None).await;
    host.oracle.next(Ok(TRIAGE));
    let work = held(&host.ran("lead-classifier", &lead()).await, "triage");
    let (clock, oracle) = host.end().await;
    let host = HostBuilder::new(dir.path()).step("lead_classifier").doors_of(&clock, &oracle).start().await;
    let reference = WorkRef { namespace: NAMESPACE.to_owned(), id: work.work_id };
    host.store.work_decide(reference, WorkDecision::Replay { due_in_ms: 0 }, actor()).await.unwrap();
    held(&host.work_off().await[0], "triage");
    say(&host, &work, "triage", APPROVE).await;
    assert_eq!(output(&host.work_off().await[0])["enriched"], json!(true));
}

/// The name that a step gives its decision is what the operator holds. It is not promised that a step keeps to it.
#[tokio::test]
async fn a_decision_under_another_name_is_held_for_nobody() {
    let dir = tempfile::tempdir().unwrap();
    let builder = HostBuilder::new(dir.path()).step("lead_classifier").hold(&["plan"], None);
    let host = builder.start().await;
    host.oracle.next(Ok(TRIAGE));
    let ended = host.ran("lead-classifier", &lead()).await;
    assert_eq!(output(&ended)["enriched"], json!(true));
}
