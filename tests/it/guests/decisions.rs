//! A question is paid for once: what is recorded, who gets it again, and what is never recorded.

use crate::guests::host;
use onceward::dispatch::end::End;
use onceward::models::ModelError;
use onceward::runtime::run::Ended as RunEnded;
use onceward::store::outbox::RowState;
use serde_json::Value;
use serde_json::json;
use std::sync::Arc;
use std::time::Duration;
use support::host::HostBuilder;
use support::host::TestHost;
use support::host::event;
use support::observe::output;
use tokio::task::JoinSet;

/// Run the step and lose the run before its settle, as a host that dies would. What it would have put out.
async fn run_and_lose(host: &TestHost, step: &str, event: &onceward::identity::event::Event) -> Value {
    let lost = host.hold(step, event).await.run(&host.dispatcher).await;
    let RunEnded::Finished { output, .. } = &lost.run().ended else { panic!("{:?}", lost.run().ended) };
    let output = serde_json::from_str(output).expect("an output is JSON");
    drop(lost);
    host.pass(3_600_000).await;
    output
}

#[tokio::test]
async fn s04_decides_once_whatever_the_number_of_attempts() {
    let dir = tempfile::tempdir().unwrap();
    let host = host(dir.path(), "decides").await;
    let event = event("1", &json!({ "prompt_version": "1" }));
    let first = run_and_lose(&host, "decides", &event).await;
    assert_eq!(first, json!({ "answer": { "call": 1 }, "origin": "asked" }));
    for _ in 0..2 {
        let again = run_and_lose(&host, "decides", &event).await;
        assert_eq!(again, json!({ "answer": { "call": 1 }, "origin": "pinned" }));
    }
    let ended = host.ran("decides", &event).await;
    assert_eq!(output(&ended), json!({ "answer": { "call": 1 }, "origin": "pinned" }));
    assert_eq!((host.oracle.calls(), ended.work.attempt), (1, 4));
    let decided = host.evidence_of(ended.work.work_id, "decided").await;
    assert_eq!(decided, ["slot \"answer\", asked (oracle, prompt 1)"]);
}

#[tokio::test]
async fn a_decision_outlives_its_host() {
    let dir = tempfile::tempdir().unwrap();
    let first = host(dir.path(), "decides").await;
    let event = event("1", &json!({ "prompt_version": "1" }));
    run_and_lose(&first, "decides", &event).await;
    let (clock, oracle) = first.end().await;
    let second = HostBuilder::new(dir.path()).step("decides").doors_of(&clock, &oracle).start().await;
    let ended = second.take("decides").await.run(&second.dispatcher).await.settle(&second.dispatcher).await;
    assert_eq!(output(&ended.unwrap()), json!({ "answer": { "call": 1 }, "origin": "pinned" }));
    assert_eq!(oracle.calls(), 1);
}

#[tokio::test]
async fn a_run_that_is_cut_off_while_it_waits_does_not_lose_the_paid_answer() {
    let dir = tempfile::tempdir().unwrap();
    let host = host(dir.path(), "decides").await;
    let event = event("1", &json!({ "prompt_version": "1" }));
    host.oracle.delay(Duration::from_millis(300));
    {
        let held = host.hold("decides", &event).await;
        tokio::select! {
            _ = held.run(&host.dispatcher) => panic!("the model has not answered yet"),
            () = host.oracle.until_asked(1) => {}
        }
    }
    host.pass(3_600_000).await;
    // The second attempt joins the call of the first, or finds its answer.
    let out = host.done("decides", &event).await;
    assert_eq!((out["answer"].clone(), host.oracle.calls()), (json!({ "call": 1 }), 1));
}

#[tokio::test]
async fn s05_a_changed_prompt_replays_the_old_decision_and_is_asked_for_new_work() {
    let dir = tempfile::tempdir().unwrap();
    let host = host(dir.path(), "decides").await;
    let changing = json!({ "prompt_version": ["1", "2"] });
    let first = event("1", &changing);
    run_and_lose(&host, "decides", &first).await;
    let replayed = host.done("decides", &first).await;
    assert_eq!(replayed, json!({ "answer": { "call": 1 }, "origin": "pinned" }));
    assert_eq!(host.oracle.asked().len(), 1);

    // New work with the same input asks under the new prompt, and is not answered from the old one's cache.
    let second = event("2", &changing);
    drop(host.hold("decides", &second).await);
    host.pass(3_600_000).await;
    let asked = host.done("decides", &second).await;
    assert_eq!(asked, json!({ "answer": { "call": 2 }, "origin": "asked" }));
    let versions: Vec<String> = host.oracle.asked().into_iter().map(|asked| asked.prompt_version).collect();
    assert_eq!(versions, ["1", "2"]);
}

#[tokio::test]
async fn an_equal_question_of_other_work_is_answered_from_the_cache() {
    let dir = tempfile::tempdir().unwrap();
    let host = host(dir.path(), "decides").await;
    let payload = json!({ "prompt_version": "1", "text": "same" });
    let one = host.done("decides", &event("1", &payload)).await;
    let two = host.ran("decides", &event("2", &payload)).await;
    assert_eq!(one, json!({ "answer": { "call": 1 }, "origin": "asked" }));
    assert_eq!(output(&two), json!({ "answer": { "call": 1 }, "origin": "cached" }));
    let other = json!({ "prompt_version": "1", "text": "other" });
    assert_eq!(host.done("decides", &event("3", &other)).await["origin"], json!("asked"));
    assert_eq!(host.oracle.calls(), 2);
    let decided = host.evidence_of(two.work.work_id, "decided").await;
    assert_eq!(decided, ["slot \"answer\", from the cache, no call was made"]);
}

#[tokio::test]
async fn two_works_with_one_question_at_once_ask_once() {
    let dir = tempfile::tempdir().unwrap();
    let host = Arc::new(host(dir.path(), "decides").await);
    host.oracle.delay(Duration::from_millis(300));
    let mut runs = JoinSet::new();
    for id in 0..4 {
        let host = Arc::clone(&host);
        let event = event(&id.to_string(), &json!({ "prompt_version": "1" }));
        runs.spawn(async move { host.done("decides", &event).await });
    }
    let outputs = runs.join_all().await;
    assert_eq!(host.oracle.calls(), 1);
    assert!(outputs.iter().all(|output| output["answer"] == json!({ "call": 1 })), "{outputs:?}");
    let mut origins: Vec<&str> = outputs.iter().filter_map(|output| output["origin"].as_str()).collect();
    origins.sort_unstable();
    assert_eq!(origins, ["asked", "cached", "cached", "cached"]);
}

#[tokio::test]
async fn decides_twice_in_two_slots_with_one_call() {
    let dir = tempfile::tempdir().unwrap();
    let host = host(dir.path(), "decides_twice").await;
    let out = host.done("decides-twice", &event("1", &json!({}))).await;
    assert_eq!(
        out,
        json!({
            "first": { "answer": { "call": 1 }, "origin": "asked" },
            "second": { "answer": { "call": 1 }, "origin": "cached" },
        })
    );
    assert_eq!(host.oracle.calls(), 1);
}

fn down() -> ModelError {
    ModelError::Unavailable { model: "oracle".into(), cause: "down".into(), retry_after_ms: None }
}

#[tokio::test]
async fn a_model_that_fails_a_moment_is_asked_again_within_the_attempt() {
    let dir = tempfile::tempdir().unwrap();
    let host = host(dir.path(), "decides").await;
    // Away twice, or answering what is no JSON: both are calls.
    host.oracle.next(Err(down()));
    host.oracle.next(Ok("I would say: yes"));
    let ended = host.ran("decides", &event("1", &json!({ "prompt_version": "1" }))).await;
    assert_eq!(output(&ended), json!({ "answer": { "call": 3 }, "origin": "asked" }));
    assert_eq!((ended.work.attempt, host.oracle.calls()), (1, 3));
}

#[tokio::test]
async fn a_model_that_keeps_failing_is_a_failed_attempt_of_the_work() {
    let dir = tempfile::tempdir().unwrap();
    let host = host(dir.path(), "decides").await;
    for _ in 0..3 {
        host.oracle.next(Err(down()));
    }
    let ended = host.ran("decides", &event("1", &json!({ "prompt_version": "1" }))).await;
    let End::Retried { cause, .. } = &ended.end else { panic!("{:?}", ended.end) };
    for words in ["deciding `answer`: the model failed", "down", "after 3 calls"] {
        assert!(cause.contains(words), "{words}: {cause}");
    }
    let again = host.work_off().await;
    assert_eq!(output(&again[0]), json!({ "answer": { "call": 4 }, "origin": "asked" }));
}

#[tokio::test]
async fn what_would_be_refused_again_is_asked_once() {
    let dir = tempfile::tempdir().unwrap();
    let host = host(dir.path(), "decides").await;
    let model = || "oracle".to_owned();
    let (refused, declined) = (
        ModelError::Refused { model: model(), cause: "no".into() },
        ModelError::Declined { model: model(), cause: "no".into() },
    );
    for (id, error) in [refused, declined, ModelError::CutOff { model: model() }].into_iter().enumerate() {
        host.oracle.next(Err(error.clone()));
        let ended = host.ran("decides", &event(&id.to_string(), &json!({ "prompt_version": "1" }))).await;
        assert!(matches!(ended.end, End::Retried { .. }), "{error}: {:?}", ended.end);
        assert_eq!(host.oracle.calls(), id + 1, "{error}");
    }
}

#[tokio::test]
async fn a_provider_that_asks_for_more_time_than_there_is_gets_no_further_call() {
    let dir = tempfile::tempdir().unwrap();
    let builder = HostBuilder::new(dir.path()).step("decides").model_timeout_ms(5_000);
    let host = builder.start().await;
    let later = |ms| {
        let (model, cause) = ("oracle".into(), "429".into());
        Err(ModelError::Unavailable { model, cause, retry_after_ms: Some(ms) })
    };
    host.oracle.next(later(6_000));
    let ended = host.ran("decides", &event("1", &json!({ "prompt_version": "1" }))).await;
    assert!(matches!(ended.end, End::Retried { .. }), "{:?}", ended.end);
    assert_eq!(host.oracle.calls(), 1);
    host.oracle.next(later(20));
    assert_eq!(
        host.done("decides", &event("2", &json!({ "prompt_version": "1" }))).await["origin"],
        json!("asked")
    );
    assert_eq!(host.oracle.calls(), 3, "a short wait is waited");
}

#[tokio::test]
async fn an_answer_that_is_no_json_is_not_recorded() {
    let dir = tempfile::tempdir().unwrap();
    let host = host(dir.path(), "decides").await;
    for _ in 0..3 {
        host.oracle.next(Ok("I would say: yes"));
    }
    let payload = json!({ "prompt_version": "1" });
    let ended = host.ran("decides", &event("1", &payload)).await;
    assert!(matches!(&ended.end, End::Review(why) if why.contains("does not fit")), "{:?}", ended.end);
    assert!(host.evidence_of(ended.work.work_id, "decided").await.is_empty());
    assert_eq!(host.done("decides", &event("2", &payload)).await["origin"], json!("asked"));
}

#[tokio::test]
async fn a_model_that_is_not_granted_is_not_asked() {
    let dir = tempfile::tempdir().unwrap();
    let host = HostBuilder::new(dir.path()).step("decides").without_grants().start().await;
    let ended = host.ran("decides", &event("1", &json!({ "prompt_version": "1" }))).await;
    assert!(matches!(&ended.end, End::Review(why) if why.contains("\"oracle\"")), "{:?}", ended.end);
    assert_eq!(host.oracle.calls(), 0);
}

#[tokio::test]
async fn s06_an_effect_is_keyed_by_work_and_slot_and_not_by_its_arguments() {
    let dir = tempfile::tempdir().unwrap();
    let builder = HostBuilder::new(dir.path()).step("enqueues").step("conflicts");
    let host = builder.flow(&["enqueues", "conflicts"]).start().await;
    host.done("enqueues", &event("1", &json!({ "deal": { "title": "as first argued" } }))).await;
    let before = host.row().await;

    // The next step of the same handoff comes with other arguments for the same slot.
    let second = host.work_off().await.remove(0);
    let End::Review(cause) = &second.end else { panic!("a person is asked: {:?}", second.end) };
    assert!(cause.contains(&before.row_id.to_string()), "{cause}");
    let after = host.row().await;
    assert_eq!((after.payload, after.state), (before.payload, RowState::Pending));
}

#[tokio::test]
async fn s06_the_same_arguments_again_are_no_second_effect() {
    let dir = tempfile::tempdir().unwrap();
    let host = HostBuilder::new(dir.path()).step("enqueues").start().await;
    let event = event("1", &json!({ "deal": { "a": 1, "b": [1.0] } }));
    for _ in 0..3 {
        run_and_lose(&host, "enqueues", &event).await;
    }
    let out = host.done("enqueues", &event).await;
    assert_eq!(out, json!({ "row_id": host.row().await.row_id }));
}
