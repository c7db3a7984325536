//! A step in JavaScript, made by npm's componentize tooling over WASI: its language's own clock, randomness, console and timers
//! follow from the work.

use onceward::dispatch::end::End;
use serde_json::Value;
use serde_json::json;
use std::path::Path;
use support::host::HostBuilder;
use support::host::TestHost;
use support::host::event;
use support::observe::output;

/// When the event of these tests happened, in Unix milliseconds.
const OCCURRED_MS: u64 = 1_767_222_000_000;

async fn host(dir: &Path) -> TestHost {
    HostBuilder::new(dir).step("from_javascript").start().await
}

/// What it gives, and what it noted.
async fn said(host: &TestHost, id: &str, wish: &str) -> (Value, Vec<String>) {
    let ended = host.ran("from-javascript", &event(id, &json!(wish))).await;
    (output(&ended), host.evidence_of(ended.work.work_id, "note").await)
}

/// Why the attempt failed, and what it noted.
async fn stopped(host: &TestHost, wish: &str) -> (String, Vec<String>) {
    let ended = host.ran("from-javascript", &event(wish, &json!(wish))).await;
    let End::Retried { cause, .. } = &ended.end else { panic!("{wish}: {:?}", ended.end) };
    (cause.clone(), host.evidence_of(ended.work.work_id, "note").await)
}

/// One test, since the component takes a while to be compiled.
#[tokio::test]
async fn javascripts_own_clock_randomness_timers_and_console_follow_from_the_work() {
    let dir = tempfile::tempdir().expect("a folder can be made");
    let host = host(dir.path()).await;
    // Work that takes time takes none on the clock.
    let (time, _) = said(&host, "time", "time").await;
    let at = json!({"before": OCCURRED_MS, "after": OCCURRED_MS, "iso": "2025-12-31T23:00:00.000Z"});
    assert_eq!(time, at);
    let (slept, _) = said(&host, "sleep", "sleep").await;
    assert_eq!(slept, json!({"slept": 3_600_000, "ticked": 3_600_000}), "an hour, at once");
    let (logged, notes) = said(&host, "log", "log").await;
    assert_eq!(logged, json!(null));
    assert_eq!(notes, ["stdout: two", "stdout: lines", "stderr: what is wrong", "noted"]);

    let (first, _) = said(&host, "random 1", "random").await;
    let (second, _) = said(&host, "random 2", "random").await;
    for part in ["numbers", "bytes", "id", "seed"] {
        assert_ne!(first[part], second[part], "two works share their {part}");
    }
    let elsewhere = tempfile::tempdir().expect("a folder can be made");
    let (again, _) = said(&self::host(elsewhere.path()).await, "random 1", "random").await;
    assert_eq!(first, again, "another host gives the same work the same");

    let failed = host.ran("from-javascript", &event("fail", &json!("fail"))).await;
    assert_eq!(failed.end, End::Review("a person must look".to_owned()), "a thrown failure is the step's");
    let (cause, notes) = stopped(&host, "throw").await;
    assert!(cause.contains("this was thrown"), "{cause}");
    assert!(notes.len() > 1, "the stack is in the notes: {notes:?}");
    let (cause, _) = stopped(&host, "fetch").await;
    let reason = "the step called wasi:http/types@0.2.10#[constructor]fields, and no step has it";
    assert!(cause.starts_with(reason), "{cause}");
    let (cause, _) = stopped(&host, "never").await;
    assert!(cause.contains("event loop error"), "{cause}");
    let (cause, _) = stopped(&host, "spin").await;
    assert!(cause.starts_with("the step called the host more than 10000 times"), "{cause}");
}
