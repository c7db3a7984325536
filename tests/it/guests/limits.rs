//! What a run may use: every limit stops the run that reaches it, says which it was, and leaves the others alone.

use async_trait::async_trait;
use onceward::dispatch::end::End;
use onceward::dispatch::end::Ended;
use onceward::runtime::limits::Limits;
use onceward::runtime::probe::Probe;
use onceward::store::work::WorkState;
use serde_json::Value;
use serde_json::json;
use std::sync::Arc;
use std::time::Duration;
use support::host::HostBuilder;
use support::host::TestHost;
use support::host::event;
use support::observe::output;
use tempfile::TempDir;

async fn limited(guest: &str, limits: Limits) -> (TempDir, TestHost) {
    let dir = tempfile::tempdir().expect("a folder can be made");
    let host = HostBuilder::new(dir.path()).step_within(guest, limits).step("echo").start().await;
    (dir, host)
}

/// A stopped run is a failed attempt, and this is its cause.
fn stopped(ended: &Ended) -> &str {
    let End::Retried { cause, .. } = &ended.end else { panic!("it is a failed attempt: {:?}", ended.end) };
    cause
}

/// One thread for all, so that the echo gets its turn only because the loop gives way.
#[tokio::test(flavor = "current_thread")]
async fn endless_loop_is_stopped_while_another_step_runs_beside_it() {
    let (_dir, host) = limited("endless_loop", Limits { wall_ms: 3_000, ..Limits::default() }).await;
    let (payload, echoed) = (json!({}), json!("beside"));
    let (looping, beside) = (event("1", &payload), event("2", &echoed));
    let mut endless = Box::pin(host.ran("endless-loop", &looping));
    tokio::select! {
        ended = &mut endless => panic!("the echo did not get its turn before {ended:?}"),
        output = host.done("echo", &beside) => assert_eq!(output, echoed),
    }
    let ended = endless.await;
    assert_eq!(
        stopped(&ended),
        "the step ran longer than 3000 ms (limits.wall_ms); look for an endless loop, or raise the limit"
    );
    assert_eq!(host.work(ended.work.work_id).await.state, WorkState::Waiting);
}

#[tokio::test]
async fn grows_memory_is_stopped_at_the_limit() {
    let bytes = 8 * 1024 * 1024;
    let (_dir, host) = limited("grows_memory", Limits { memory_bytes: bytes, ..Limits::default() }).await;
    let ended = host.ran("grows-memory", &event("1", &json!({}))).await;
    assert!(stopped(&ended).contains("more than 8388608 bytes of memory (limits.memory_bytes)"), "{ended:?}");
    assert_eq!(host.done("echo", &event("2", &json!(1))).await, json!(1));
}

#[tokio::test]
async fn grows_memory_is_stopped_at_the_default_limit_too() {
    let (_dir, host) = limited("grows_memory", Limits::default()).await;
    let ended = host.ran("grows-memory", &event("1", &json!({}))).await;
    assert!(stopped(&ended).contains("67108864 bytes of memory"), "{ended:?}");
}

#[tokio::test]
async fn notes_much_is_cut_with_a_mark_and_still_done() {
    let (_dir, host) = limited("notes_much", Limits { log_bytes: 10 * 1024, ..Limits::default() }).await;
    let check = async |id: &str, notes: u64, kept: usize, cut: bool| {
        let ended = host.ran("notes-much", &event(id, &json!({ "notes": notes }))).await;
        assert_eq!(output(&ended), json!(null));
        let found = host.evidence_of(ended.work.work_id, "note").await;
        assert_eq!(found.len(), kept + usize::from(cut), "{id}");
        assert_eq!(found.last().is_some_and(|last| last.contains("limits.log_bytes")), cut, "{id}");
    };
    check("at the limit", 10, 10, false).await;
    check("beyond", 5_000, 10, true).await;
}

#[tokio::test]
async fn notes_much_is_stopped_by_the_limit_of_host_calls() {
    let (_dir, host) = limited("notes_much", Limits { host_calls: 20, ..Limits::default() }).await;
    let ended = host.ran("notes-much", &event("1", &json!({ "notes": 20 }))).await;
    assert_eq!(output(&ended), json!(null));
    let ended = host.ran("notes-much", &event("2", &json!({ "notes": 21 }))).await;
    assert_eq!(
        stopped(&ended),
        "the step called the host more than 20 times (limits.host_calls); look for a loop without end, do a chunk at a time, or raise the limit"
    );
    assert_eq!(host.evidence_of(ended.work.work_id, "note").await.len(), 20, "what was said before is kept");
}

/// A host call that never comes back, as one into a ledger whose disk hangs.
struct Stuck;

#[async_trait]
impl Probe for Stuck {
    async fn host_call(&self, _: &'static str) {
        std::future::pending().await
    }
}

#[tokio::test]
async fn a_host_call_that_outlasts_the_wall_limit_ends_the_run() {
    let dir = tempfile::tempdir().unwrap();
    let limits = Limits { wall_ms: 300, ..Limits::default() };
    let builder = HostBuilder::new(dir.path()).step_within("notes_much", limits).step("echo");
    let host = builder.probed(Arc::new(Stuck)).start().await;
    let ended = host.ran("notes-much", &event("1", &json!({ "notes": 1 }))).await;
    assert!(stopped(&ended).contains("the step ran longer than 300 ms (limits.wall_ms)"), "{ended:?}");
    assert_eq!(host.done("echo", &event("2", &json!(1))).await, json!(1));
}

#[tokio::test]
async fn recurses_without_end_and_is_told_in_which_function() {
    let (_dir, host) = limited("recurses", Limits::default()).await;
    for (large, words, function) in [
        (false, "call stack exhausted: its functions call one another too deeply", "recurses::deep"),
        (true, "out of bounds memory access: it reached outside of its memory", "recurses::deep_and_large"),
    ] {
        let ended = host.ran("recurses", &event(function, &json!({ "large": large }))).await;
        let cause = stopped(&ended);
        assert!(cause.starts_with(&format!("the step trapped: {words}")), "{cause}");
        assert_eq!(cause.matches(function).count(), 1, "named once: {cause}");
        assert_eq!(host.done("echo", &event(function, &json!(1))).await, json!(1));
    }
}

#[tokio::test]
async fn collects_much_in_a_hundred_thousand_rows_and_none_is_kept() {
    let rows = json!({ "kind": "rows", "count": 100_000, "bytes": 1 });
    let (_dir, host) = limited("collects_much", Limits::default()).await;
    let ended = host.ran("collects-much", &event("1", &rows)).await;
    assert!(
        matches!(&ended.end, End::Rejected(why) if why.contains("256 rows a run (limits.rows)")),
        "{ended:?}"
    );
    assert!(host.rows().await.is_empty());
    // Where the operator has raised that limit, the next one holds.
    let limits = Limits { rows: 200_000, wall_ms: 600_000, ..Limits::default() };
    let (_dir, host) = limited("collects_much", limits).await;
    let ended = host.ran("collects-much", &event("1", &rows)).await;
    assert!(stopped(&ended).contains("more than 10000 times (limits.host_calls)"), "{ended:?}");
    assert!(host.rows().await.is_empty());
    assert_eq!(host.done("echo", &event("2", &json!(1))).await, json!(1));
}

#[tokio::test]
async fn enqueues_two_finds_the_limit_of_rows() {
    let (_dir, host) = limited("enqueues_two", Limits { rows: 1, ..Limits::default() }).await;
    let ended = host.ran("enqueues-two", &event("1", &json!({}))).await;
    assert!(
        matches!(&ended.end, End::Rejected(why) if why.contains("1 rows a run (limits.rows)")),
        "{ended:?}"
    );
    assert!(host.rows().await.is_empty());
}

#[tokio::test]
async fn items_finds_the_limit_of_items_in_one_call_and_one_by_one() {
    let (_dir, host) = limited("items", Limits { items: 3, ..Limits::default() }).await;
    let check = async |id: &str, items: &[&str], chunk: u64, allowed: bool| {
        let items: Vec<String> = items.iter().map(|item| format!("{id}-{item}")).collect();
        let ended = host.ran("items", &event(id, &json!({ "items": items, "chunk": chunk }))).await;
        match &ended.end {
            End::Done { .. } => assert!(allowed, "{id}"),
            End::Rejected(why) => assert!(!allowed && why.contains("3 items a run (limits.items)"), "{why}"),
            other => panic!("{id}: {other:?}"),
        }
    };
    check("at once", &["a", "b", "c"], 10, true).await;
    check("too many at once", &["a", "b", "c", "d"], 10, false).await;
    check("one by one", &["a", "b", "c"], 1, true).await;
    check("too many one by one", &["a", "b", "c", "d"], 1, false).await;
}

#[tokio::test]
async fn enqueues_more_bytes_than_a_call_may_have() {
    let limits = Limits { call_bytes: 4 * 1024, ..Limits::default() };
    let (_dir, host) = limited("enqueues", limits).await;
    let deal = |bytes: usize| json!({ "deal": { "text": "x".repeat(bytes) } });
    host.done("enqueues", &event("1", &deal(2 * 1024))).await;
    let ended = host.ran("enqueues", &event("2", &deal(8 * 1024))).await;
    assert_eq!(
        stopped(&ended),
        "the step gave the host more than 4096 bytes at once (limits.call_bytes); give less, or raise the limit"
    );
    assert_eq!(host.rows().await.len(), 1);
}

#[tokio::test]
async fn a_result_counts_as_a_call_with_its_bytes() {
    let dir = tempfile::tempdir().unwrap();
    let limits = Limits { call_bytes: 4 * 1024, ..Limits::default() };
    let host = HostBuilder::new(dir.path()).step_within("echo", limits).start().await;
    let ended = host.ran("echo", &event("1", &Value::from("x".repeat(8 * 1024)))).await;
    assert!(stopped(&ended).contains("limits.call_bytes"), "{ended:?}");
}

#[tokio::test]
async fn sleeps_in_host_for_a_slow_model_without_using_up_its_wall_time() {
    let (_dir, host) = limited("sleeps_in_host", Limits { wall_ms: 1_000, ..Limits::default() }).await;
    host.oracle.delay(Duration::from_millis(2_500));
    let ended = host.ran("sleeps-in-host", &event("1", &json!({}))).await;
    assert_eq!(output(&ended), json!({ "call": 1 }));
}

#[tokio::test]
async fn many_runs_at_once_share_the_places_and_all_end() {
    let (_dir, host) = limited("echo", Limits::default()).await;
    let host = std::sync::Arc::new(host);
    let mut runs = tokio::task::JoinSet::new();
    for number in 0..40 {
        let host = std::sync::Arc::clone(&host);
        runs.spawn(async move { host.done("echo", &event(&number.to_string(), &json!(number))).await });
    }
    let mut seen: Vec<u64> = runs.join_all().await.iter().filter_map(Value::as_u64).collect();
    seen.sort_unstable();
    assert_eq!(seen, (0..40).collect::<Vec<u64>>());
}
