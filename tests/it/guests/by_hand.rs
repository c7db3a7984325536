//! What no SDK would let a step do, done by a component that is written by hand: each ends for its reason, and the host runs on.

use onceward::dispatch::end::End;
use onceward::runtime::limits::Limits;
use onceward::store::work::WorkState;
use serde_json::json;
use std::path::Path;
use support::host::HostBuilder;
use support::host::TestHost;
use support::host::event;
use support::observe::output;
use tempfile::TempDir;

const BY_HAND: &str = include_str!("../../guests/wat/by_hand.wat");

/// 16 pages: each memory begins with one, and may grow by 9, but not both.
const MEMORY_BYTES: u64 = 16 * 64 * 1024;

async fn by_hand(dir: &Path, limits: Limits) -> TestHost {
    let component = wat::parse_str(BY_HAND).expect("the text is well-formed");
    HostBuilder::new(dir).component(component, limits).step("echo").start().await
}

async fn started(limits: Limits) -> (TempDir, TestHost) {
    let dir = tempfile::tempdir().expect("a folder can be made");
    let host = by_hand(dir.path(), limits).await;
    (dir, host)
}

/// Each letter is a failed attempt for this reason, and the host runs it, and another step, after that.
async fn check(limits: Limits, letters: &[(&str, &str)]) {
    let (_dir, host) = started(limits).await;
    for (letter, reason) in letters {
        let ended = host.ran("by-hand", &event(letter, &json!(letter))).await;
        let End::Retried { cause, .. } = &ended.end else { panic!("{letter}: {:?}", ended.end) };
        assert!(cause.contains(reason), "{letter}: {cause}");
        assert_eq!(host.work(ended.work.work_id).await.state, WorkState::Waiting, "{letter}");
        let after = format!("after {letter}");
        assert_eq!(host.done("by-hand", &event(&after, &json!("z"))).await, json!("z"));
        assert_eq!(host.done("echo", &event(&after, &json!(letter))).await, json!(letter));
    }
}

#[tokio::test]
async fn memories_and_tables_have_one_limit_together() {
    let memory = "the step wanted more than 1048576 bytes of memory (limits.memory_bytes) and could not go on; hold less at once, or raise the limit";
    let table = "the step wanted a table of more than 20000 entries and could not go on; a table holds the functions that are called by pointer";
    check(
        Limits { memory_bytes: MEMORY_BYTES, ..Limits::default() },
        &[("g", memory), ("h", memory), ("i", memory), ("j", table), ("k", table)],
    )
    .await;
    let (_dir, host) = started(Limits { memory_bytes: 2 * MEMORY_BYTES, ..Limits::default() }).await;
    assert_eq!(host.done("by-hand", &event("1", &json!("i"))).await, json!("i"), "two memories are no fault");
}

#[tokio::test]
async fn text_that_is_none_is_refused_with_its_place() {
    let reason = "the step gave the host text that is not UTF-8 (invalid utf-8 sequence of 1 bytes from index 0); give text";
    check(Limits::default(), &[("a", reason), ("b", reason), ("c", reason)]).await;
}

#[tokio::test]
async fn a_nul_is_kept_in_a_note_and_refused_in_a_name_and_in_json() {
    let (_dir, host) = started(Limits::default()).await;
    let noted = host.ran("by-hand", &event("1", &json!("d"))).await;
    assert_eq!(output(&noted), json!("d"));
    assert_eq!(host.evidence_of(noted.work.work_id, "note").await, ["a\0b"]);
    let named = host.ran("by-hand", &event("2", &json!("e"))).await;
    assert_eq!(named.end, End::Rejected("a slot holds U+0000, which not every ledger can store".to_owned()));
    check(Limits::default(), &[("f", "the step's result can't be used: ")]).await;
}

#[tokio::test]
async fn a_giant_note_is_stopped_by_its_bytes_and_a_large_one_is_dropped_with_a_mark() {
    let reason = "the step gave the host more than 1048576 bytes at once (limits.call_bytes)";
    check(Limits::default(), &[("m", reason)]).await;
    let (_dir, host) = started(Limits::default()).await;
    let cut = host.ran("by-hand", &event("1", &json!("n"))).await;
    assert_eq!(output(&cut), json!("n"));
    let notes = host.evidence_of(cut.work.work_id, "note").await;
    assert_eq!(notes, ["notes cut: more than 65536 bytes (limits.log_bytes)"]);
}

/// The pool gives the next run the very memory that the trap left.
#[tokio::test]
async fn an_instance_that_trapped_is_never_entered_again() {
    let (_dir, host) = started(Limits::default()).await;
    let reason = "the step trapped: wasm `unreachable` instruction executed";
    for number in 0..20 {
        let ended = host.ran("by-hand", &event(&number.to_string(), &json!("l"))).await;
        let End::Retried { cause, .. } = &ended.end else { panic!("it found a trace: {:?}", ended.end) };
        assert!(cause.starts_with(reason), "{cause}");
    }
}
