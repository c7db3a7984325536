//! Steps that only read: retries, and no ledger.

use crate::guests::host;
use onceward::dispatch::read::{Read, ReadEnd};
use onceward::dispatch::step::DispatchError;
use onceward::store::operate::Actor;
use onceward::store::pause::PauseScope;
use rusqlite::Connection;
use serde_json::{Value, json};
use std::path::Path;
use support::host::{HostBuilder, NAMESPACE, TestHost, event};

const STEP: &str = "reads-only";

async fn read(host: &TestHost, succeed_at: u64, act: &str) -> Read {
    let event = event("a", &json!({ "succeed_at": succeed_at, "act": act }));
    host.dispatcher.read(STEP, &event).await.expect("the step is there")
}

fn output(read: &Read) -> Value {
    match &read.end {
        ReadEnd::Done { output, needs_review: None } => serde_json::from_str(output).expect("JSON"),
        other => panic!("not done: {other:?}"),
    }
}

/// Nothing of the runs is in the ledger.
fn assert_nothing_is_kept(dir: &Path) {
    let ledger = Connection::open(dir.join("onceward.db")).expect("the file opens");
    for table in ["work", "evidence", "contract", "decision", "outbox", "item", "progress"] {
        let rows: i64 = ledger
            .query_row(&format!("SELECT count(*) FROM {table}"), [], |row| row.get(0))
            .expect("the table is there");
        assert_eq!(rows, 0, "{table}");
    }
}

#[tokio::test]
async fn a_read_only_step_is_retried_and_nothing_is_kept() {
    let dir = tempfile::tempdir().unwrap();
    let host = host(dir.path(), "reads_only").await;
    let third = read(&host, 3, "").await;
    assert_eq!((third.attempts, &output(&third)["attempt"]), (3, &json!(3)));
    // It may run at any time and any number of times, and its seeds repeat for the same input.
    let again = read(&host, 3, "").await;
    assert_eq!(output(&again), output(&third));
    assert!(host.work_off().await.is_empty(), "a worker has nothing to do with it");
    assert_nothing_is_kept(dir.path());
}

#[tokio::test]
async fn its_budget_bounds_the_retries() {
    let dir = tempfile::tempdir().unwrap();
    let host = HostBuilder::new(dir.path()).step("reads_only").attempts(3).start().await;
    let failed = read(&host, 9, "").await;
    let ReadEnd::Failed(cause) = &failed.end else { panic!("{failed:?}") };
    assert!(failed.attempts == 3 && cause.contains("attempts used up (3): not yet"), "{cause}");
    let trapped = read(&host, 0, "trap").await;
    assert!(matches!(&trapped.end, ReadEnd::Failed(cause) if cause.contains("trapped")), "{trapped:?}");
    assert_eq!(trapped.attempts, 3);
    assert_nothing_is_kept(dir.path());
}

#[tokio::test]
async fn whatever_would_act_or_be_remembered_is_refused_by_name() {
    let dir = tempfile::tempdir().unwrap();
    let host = host(dir.path(), "reads_only").await;
    for act in ["enqueue", "cache", "decide", "claim", "advance"] {
        let read = read(&host, 0, act).await;
        let refused = output(&read)["refused"].as_str().expect("a refusal").to_owned();
        assert!(refused.contains("read-only"), "{act}: {refused}");
    }
    assert_eq!(host.oracle.calls(), 0);
    let end = |read: Read| read.end;
    assert!(
        matches!(end(read(&host, 0, "continue").await), ReadEnd::Rejected(cause) if cause.contains("cursor"))
    );
    assert_eq!(end(read(&host, 0, "review").await), ReadEnd::Review("a person decides".to_owned()));
    assert_eq!(end(read(&host, 0, "reject").await), ReadEnd::Rejected("it is spam".to_owned()));
    assert_nothing_is_kept(dir.path());
}

#[tokio::test]
async fn a_read_only_step_claims_nothing_and_a_recorded_one_does_not_read() {
    let dir = tempfile::tempdir().unwrap();
    let host = HostBuilder::new(dir.path()).step("reads_only").step("echo").start().await;
    let event = event("a", &json!({ "a": 1 }));
    let refused = host.dispatcher.claim(STEP, &event).await.err().expect("there is nothing to claim");
    assert!(matches!(refused, DispatchError::ReadOnly { .. }), "{refused}");
    let refused = host.dispatcher.read("echo", &event).await.expect_err("its runs are recorded");
    assert!(matches!(refused, DispatchError::Recorded { .. }), "{refused}");
}

#[tokio::test]
async fn a_pause_holds_for_it_too() {
    let dir = tempfile::tempdir().unwrap();
    let host = host(dir.path(), "reads_only").await;
    let actor = Actor { name: "Noor".to_owned(), reason: "it is expensive".to_owned(), action: None };
    host.store.pause_set(NAMESPACE, PauseScope::Step(STEP.to_owned()), actor.clone()).await.unwrap();
    let paused = read(&host, 0, "").await;
    assert!(matches!(&paused.end, ReadEnd::Paused(cause) if cause.contains("expensive")), "{paused:?}");
    assert_eq!(paused.attempts, 0);
    host.store.pause_lift(NAMESPACE, PauseScope::Step(STEP.to_owned()), actor).await.unwrap();
    output(&read(&host, 0, "").await);
}
