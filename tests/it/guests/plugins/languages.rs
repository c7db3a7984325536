//! The lead classifier in Rust, TypeScript and Python: one step, whichever runs.

use crate::guests::plugins::TRIAGE;
use onceward::dispatch::end::End;
use onceward::runtime::limits::Limits;
use onceward::store::claim::{Repeat, Standing};
use serde_json::Value;
use serde_json::json;
use std::path::Path;
use support::host::{HostBuilder, TestHost, event};
use support::observe::output;
use support::paths;

/// The files of the three.
const CLASSIFIERS: [&str; 3] = ["lead_classifier", "lead_classifier_ts", "lead_classifier_py"];

async fn host(dir: &Path, classifier: &str) -> TestHost {
    HostBuilder::new(dir).step(classifier).start().await
}

/// A lead with a member of every kind, and with what a form may hold besides.
fn lead(id: &str) -> Value {
    json!({
        "source": "web-form", "message_id": id, "sent_at": "2026-11-29T10:00:00Z", "channel": "web-form",
        "conversation": "c-1", "contact": { "name": "Zoë \u{1F600}", "email": "zoe@example.com", "phone": null, "fax": "1" },
        "text": "Grüße\n\"quoted\" \\ and \u{2028} done", "attachments": [{ "name": "a.pdf", "size": 9_007_199_254_740_991_u64 }],
        "type": "spam", "confidence": 0, "unknown": { "deep": [1] },
    })
}

#[tokio::test]
async fn the_classifier_promises_the_same_in_each_language() {
    let dir = tempfile::tempdir().unwrap();
    let host = HostBuilder::new(dir.path()).start().await;
    let mut contracts = Vec::new();
    for file in CLASSIFIERS {
        let bytes = paths::step_bytes(file);
        let plugin = host.runtime.loader().load(&bytes, &Limits::default()).await.unwrap();
        contracts.push((plugin.contract().clone(), plugin.imports().primitives.len()));
    }
    // All of them import all interfaces but the one in Rust, from which the linker takes what it does not use.
    assert_eq!(contracts[0].0, contracts[1].0);
    assert_eq!(contracts[0].0, contracts[2].0);
    assert_eq!((contracts[1].1, contracts[2].1), (6, 6));
}

/// The identity vectors: whatever makes two events the same work does so in each language, and what does not does not.
#[tokio::test]
async fn events_are_the_same_works_in_each_language() {
    let mut ids = Vec::new();
    for file in CLASSIFIERS {
        let dir = tempfile::tempdir().unwrap();
        let host = host(dir.path(), file).await;
        let mut of_file = Vec::new();
        for (source, message) in [
            ("web-form", "m-1"),
            ("web-form", "m-2"),
            ("mail", "m-1"),
            ("a/b", "c"),
            ("a", "b/c"),
            ("ä", "\u{1F600}"),
        ] {
            let payload =
                json!({ "source": source, "message_id": message, "text": "x", "received_at": of_file.len() });
            host.oracle.next(Ok(TRIAGE));
            of_file.push(host.ran("lead-classifier", &event(message, &payload)).await.work.work_id);
        }
        ids.push(of_file);
    }
    assert_eq!(ids[0], ids[1]);
    assert_eq!(ids[0], ids[2]);
}

#[tokio::test]
async fn a_lead_comes_out_the_same_in_each_language_with_the_same_notes() {
    for (answer, what) in [
        (TRIAGE.to_owned(), "a sure answer"),
        (TRIAGE.replace("0.9", "0.3"), "an unsure answer"),
        (TRIAGE.replace("0.9", "1"), "a whole number"),
        (TRIAGE.replace("Wants a quote.", "\u{1F600} ä"), "beyond ASCII"),
    ] {
        let mut outcomes = Vec::new();
        for file in CLASSIFIERS {
            let dir = tempfile::tempdir().unwrap();
            let host = host(dir.path(), file).await;
            host.oracle.next(Ok(&answer));
            let ended = host.ran("lead-classifier", &event("1", &lead("m-1"))).await;
            let End::Done { needs_review, output } = &ended.end else { panic!("{file}: {:?}", ended.end) };
            let notes = host.evidence_of(ended.work.work_id, "note").await;
            let stage = host.stage(&ended.work).await;
            // A number is one number, however a language writes it.
            let mut out: Value = serde_json::from_str(output).unwrap();
            out["confidence"] = json!(out["confidence"].as_f64());
            outcomes.push((out, needs_review.clone(), notes, stage));
        }
        assert_eq!(outcomes[0], outcomes[1], "{what}");
        assert_eq!(outcomes[0], outcomes[2], "{what}");
    }
}

/// What a model has been asked in one language it is not asked again in another: the questions are equal.
#[tokio::test]
async fn the_model_is_asked_the_same_and_answers_once_for_all_languages() {
    let dir = tempfile::tempdir().unwrap();
    for (at, file) in CLASSIFIERS.into_iter().enumerate() {
        let host = host(dir.path(), file).await;
        host.oracle.next(Ok(TRIAGE));
        let id = format!("m-{at}");
        let ended = host.ran("lead-classifier", &event(&id, &lead(&id))).await;
        assert_eq!(output(&ended)["priority"], json!("high"), "{file}");
        assert_eq!(host.oracle.calls(), usize::from(at == 0), "{file}");
    }
}

/// A host can go from one language to another, and what has been done stays done.
#[tokio::test]
async fn a_lead_that_was_classified_in_one_language_is_a_duplicate_in_another() {
    let dir = tempfile::tempdir().unwrap();
    let first = host(dir.path(), CLASSIFIERS[0]).await;
    first.oracle.next(Ok(TRIAGE));
    let done = first.ran("lead-classifier", &event("1", &lead("m-1"))).await;
    drop(first);
    for file in &CLASSIFIERS[1..] {
        let other = host(dir.path(), file).await;
        let again = other.answered("lead-classifier", &event("1", &lead("m-1"))).await;
        let Standing::Done(Repeat::Original { output: first, .. }) = &again.standing else {
            panic!("{again:?}")
        };
        assert_eq!(serde_json::from_str::<Value>(first).unwrap(), output(&done), "{file}");
        assert_eq!(other.oracle.calls(), 0);
    }
}
