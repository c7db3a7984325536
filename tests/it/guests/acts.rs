//! What the packages for TypeScript and Python make of each function of the host: a step that does what its payload says, in both
//! languages, with the same answers.

use onceward::contract::capability::Mode;
use onceward::contract::response::Response;
use onceward::contract::tier::Tier;
use onceward::contract::window::Window;
use onceward::dispatch::end::End;
use onceward::identity::work_id::Identity;
use onceward::runtime::limits::Limits;
use onceward::store::outbox::RowState;
use serde_json::Value;
use serde_json::json;
use std::path::Path;
use support::host::{HostBuilder, TestHost, event};
use support::paths;

/// When events happen in these tests: 2025-12-31T23:00:00Z, in milliseconds.
const OCCURRED_AT_MS: i64 = 1_767_222_000_000;

const ACTS: [&str; 2] = ["acts_ts", "acts_py"];

async fn host(dir: &Path, file: &str) -> TestHost {
    std::fs::create_dir_all(dir).expect("a folder");
    HostBuilder::new(dir).step(file).start().await
}

/// What comes of these acts.
async fn ran(host: &TestHost, acts: &[&str]) -> (End, Vec<String>) {
    let id = acts.join(" ");
    let ended = host.ran("acts", &event(&id, &json!({ "acts": acts, "text": id }))).await;
    let notes = host.evidence_of(ended.work.work_id, "note").await;
    (ended.end, notes)
}

async fn said(host: &TestHost, acts: &[&str]) -> Value {
    match ran(host, acts).await.0 {
        End::Done { output, needs_review: None } => serde_json::from_str(&output).expect("JSON"),
        other => panic!("{acts:?}: {other:?}"),
    }
}

#[tokio::test]
async fn a_contract_says_what_it_was_given() {
    let dir = tempfile::tempdir().unwrap();
    for file in ACTS {
        let host = host(dir.path(), file).await;
        let plugin = host.runtime.loader().load(&paths::step_bytes(file), &Limits::default()).await.unwrap();
        let contract = plugin.contract();
        assert_eq!((contract.name.as_str(), contract.version), ("acts", 3), "{file}");
        assert_eq!((&contract.identity, contract.mode), (&Identity::Content, Mode::Recorded), "{file}");
        assert_eq!(contract.window, Window::Duration(3_600), "{file}");
        assert_eq!(contract.response, Response::Acknowledgement, "{file}");
        let normal = &contract.rules;
        let lists = (&normal.volatile[..], &normal.urls[..], &normal.times[..], &normal.trimmed[..]);
        let expected = ["at", "/page", "/asked", "/text"].map(|entry| vec![entry.to_owned()]);
        assert_eq!(lists, (&expected[0][..], &expected[1][..], &expected[2][..], &expected[3][..]), "{file}");
        let wanted: Vec<_> = contract.destinations.iter().map(|it| (it.name.as_str(), it.weakest)).collect();
        assert_eq!(wanted, [("crm", Tier::Blind), ("billing", Tier::Key)], "{file}");
        assert_eq!(contract.models, ["oracle"], "{file}");
    }
}

#[tokio::test]
async fn each_function_of_the_host_answers_as_it_does_in_rust() {
    for file in ACTS {
        let dir = tempfile::tempdir().unwrap();
        let host = host(dir.path(), file).await;
        host.oracle.next(Ok("\"x\""));
        let acts = ["ask a", "recall a", "recall b", "cache c", "cache a"];
        assert_eq!(said(&host, &acts).await, json!(["x", "x", "nothing", "by rule", "x"]), "{file}");
        let acts = ["claim i,j,i", "record i", "release j", "claim j"];
        let verdicts = ["acquired", "acquired", "in-progress"];
        // What is given back is free when the run ends.
        assert_eq!(said(&host, &acts).await, json!([verdicts, null, null, ["in-progress"]]), "{file}");
        let acts = ["reference i", "claim j"];
        assert_eq!(said(&host, &acts).await, json!([["r-i"], ["acquired"]]), "{file}");
        let acts = ["send x", "send x", "hold look", "go-on nowhere"];
        assert_eq!(said(&host, &acts).await, json!([64, 64, 64, 64]), "{file}");
        let acts = ["stage received", "stage-or-note nonsense", "cursor"];
        assert_eq!(said(&host, &acts).await, json!([null, null, "none"]), "{file}");
        let seconds = said(&host, &["time"]).await;
        assert_eq!(seconds, json!([[OCCURRED_AT_MS, OCCURRED_AT_MS, OCCURRED_AT_MS, 5, 1_000]]), "{file}");
        assert_eq!(ran(&host, &["more 7"]).await.0, End::Continued, "{file}");
    }
}

#[tokio::test]
async fn rows_have_what_the_step_gave_them() {
    for file in ACTS {
        let dir = tempfile::tempdir().unwrap();
        let host = host(dir.path(), file).await;
        let (_, notes) = ran(&host, &["send x", "hold look", "go-on nowhere"]).await;
        assert!(notes[0].starts_with("enqueuing without the receipt step `nowhere`: "), "{file}: {notes:?}");
        let rows = host.rows().await;
        let of = |slot: &str| rows.iter().find(|row| row.slot == slot).expect("it is there");
        assert_eq!(of("deal").payload, r#"{"text":"x"}"#, "{file}");
        let held = of("held");
        assert_eq!((held.state, held.payload.as_str()), (RowState::Held, "[1]"), "{file}");
        assert!(held.ordering_key.is_some() && of("deal").ordering_key.is_none(), "{file}: {held:?}");
        assert_eq!(of("on").state, RowState::Pending, "{file}");
    }
}

#[tokio::test]
async fn each_error_of_the_host_becomes_the_failure_that_can_help() {
    for file in ACTS {
        let dir = tempfile::tempdir().unwrap();
        let host = host(dir.path(), file).await;
        let end = async |acts: &[&str]| ran(&host, acts).await.0;
        let reviewed = async |acts: &[&str], why: &str| {
            let end = end(acts).await;
            assert!(matches!(&end, End::Review(said) if said.contains(why)), "{file}: {acts:?}: {end:?}");
        };
        reviewed(&["review look"], "look").await;
        reviewed(&["send-elsewhere chat"], "is not granted").await;
        reviewed(&["stage nonsense"], "no such stage").await;
        reviewed(&["send x", "send y"], "another payload").await;
        for (acts, why) in [(["retry later"], "later"), (["record z"], "claim it first")] {
            let end = end(&acts).await;
            assert!(matches!(&end, End::Retried { cause, .. } if cause.contains(why)), "{file}: {end:?}");
        }
        assert!(matches!(end(&["retry in 5 s"]).await, End::Retried { due_in_ms: 5_000.., .. }), "{file}");
        for (acts, why) in
            [(["reject no"], "no"), (["send-no-json"], "is no JSON"), (["claim "], "its key is at fault")]
        {
            let end = end(&acts).await;
            assert!(matches!(&end, End::Rejected(said) if said.contains(why)), "{file}: {acts:?}: {end:?}");
        }
    }
}

#[tokio::test]
async fn an_error_that_the_step_did_not_mean_is_told_with_the_functions_it_happened_in() {
    let dir = tempfile::tempdir().unwrap();
    for (file, told) in [
        ("acts_ts", "panic: RangeError: boom; in crashes, called by crash"),
        ("acts_py", "panic: IndexError: boom; in _crashes (step.py:"),
    ] {
        let host = host(&dir.path().join(file), file).await;
        let (end, notes) = ran(&host, &["note before", "crash boom"]).await;
        assert!(matches!(&end, End::Retried { cause, .. } if cause.contains(told)), "{file}: {end:?}");
        assert!(notes[0] == "before" && notes[1].starts_with(told), "{file}: {notes:?}");
    }
    let host = host(&dir.path().join("promise"), "acts_ts").await;
    let (end, _) = ran(&host, &["asynchronous"]).await;
    assert!(matches!(&end, End::Retried { cause, .. } if cause.contains("gave a promise")), "{end:?}");
}

/// The language's own chance: the same again for the same work, and another for another.
#[tokio::test]
async fn chance_is_the_works_own_and_what_is_printed_is_noted() {
    for file in ACTS {
        let dir = tempfile::tempdir().unwrap();
        let first = host(&dir.path().join("1"), file).await;
        let again = host(&dir.path().join("2"), file).await;
        let acts = ["random", "seed dice", "id deal"];
        let one = said(&first, &acts).await;
        assert_eq!(one, said(&again, &acts).await, "{file}");
        let other = said(&first, &["random", "seed dice", "id deal", "note x"]).await;
        let drawn = one[0].as_array().expect("numbers");
        for (at, number) in drawn.iter().enumerate() {
            assert_ne!(*number, other[0][at], "{file}");
            assert!(drawn.iter().filter(|it| *it == number).count() == 1, "{file}: {drawn:?}");
        }
        assert_ne!(one[1], other[1], "{file}");
        let (_, notes) = ran(&first, &["print hello", "warn careful"]).await;
        assert_eq!(notes[0], "hello {\"n\":1}", "{file}");
        assert!(notes[1].ends_with(": careful"), "{file}: {notes:?}");
    }
}
