//! What a component written over WASI gets: each answer follows from its work, and what no step has ends its run by name.

use onceward::dispatch::end::End;
use onceward::runtime::limits::Limits;
use onceward::runtime::plugin::LoadError;
use serde_json::Value;
use serde_json::json;
use std::collections::BTreeSet;
use std::error::Error as _;
use std::path::Path;
use support::host::HostBuilder;
use support::host::TestHost;
use support::host::event;
use support::observe::output;
use tempfile::TempDir;

const OVER_WASI: &str = include_str!("../../guests/wat/over_wasi.wat");

/// When each event of these tests happened, in Unix seconds.
const OCCURRED_S: u64 = 1_767_222_000;

/// Where the monotonic clock begins, in nanoseconds.
const ORIGIN_NS: u64 = 1_000_000_000;

/// Nanoseconds in an hour.
const HOUR_NS: u64 = 3_600_000_000_000;

async fn host(dir: &Path, text: &str, limits: Limits) -> TestHost {
    let component = wat::parse_str(text).expect("the text is well-formed");
    HostBuilder::new(dir).component(component, limits).step("echo").start().await
}

async fn started() -> (TempDir, TestHost) {
    let dir = tempfile::tempdir().expect("a folder can be made");
    let host = host(dir.path(), OVER_WASI, Limits::default()).await;
    (dir, host)
}

async fn said(host: &TestHost, id: &str, letter: &str) -> Value {
    host.done("over-wasi", &event(id, &json!(letter))).await
}

/// Why the attempt failed. The host runs the step, and another one, after that.
async fn stopped(host: &TestHost, letter: &str) -> (String, Vec<String>) {
    let ended = host.ran("over-wasi", &event(letter, &json!(letter))).await;
    let End::Retried { cause, .. } = &ended.end else { panic!("{letter}: {:?}", ended.end) };
    assert_eq!(said(host, &format!("after {letter}"), "z").await, json!("z"));
    assert_eq!(host.done("echo", &event(letter, &json!(letter))).await, json!(letter));
    (cause.clone(), host.evidence_of(ended.work.work_id, "note").await)
}

#[tokio::test]
async fn the_clocks_stand_at_the_event_and_go_on_by_sleeps_alone() {
    let (_dir, host) = started().await;
    assert_eq!(said(&host, "1", "a").await, json!([OCCURRED_S, 0, ORIGIN_NS]));
    host.pass(86_400_000).await;
    assert_eq!(said(&host, "2", "a").await, json!([OCCURRED_S, 0, ORIGIN_NS]), "a day later");
    let slept = json!([OCCURRED_S + 5_400, 0, ORIGIN_NS + HOUR_NS * 3 / 2]);
    assert_eq!(said(&host, "3", "b").await, slept, "after a sleep of 90 minutes, which took no time");
    // The timer of one hour, which is the second, was not ready before and is after.
    let polled = json!([0, 1, 1, 1, OCCURRED_S + 3_600, 0, ORIGIN_NS + HOUR_NS]);
    assert_eq!(said(&host, "4", "c").await, polled);
}

#[tokio::test]
async fn randomness_follows_from_the_work_alone() {
    let first = {
        let (_dir, host) = started().await;
        let first = said(&host, "1", "d").await;
        assert_ne!(first, said(&host, "2", "d").await, "another work has other numbers");
        let numbers = first.as_array().expect("a list");
        let distinct: BTreeSet<_> = numbers.iter().map(Value::to_string).collect();
        assert_eq!((numbers.len(), distinct.len()), (4, 4), "{first}");
        first
    };
    let (_dir, host) = started().await;
    assert_eq!(first, said(&host, "1", "d").await, "another host gives the same work the same numbers");
}

#[tokio::test]
async fn a_line_of_output_is_a_note_within_the_limit_of_all_notes() {
    let (_dir, host) = started().await;
    let written = host.ran("over-wasi", &event("1", &json!("e"))).await;
    assert_eq!(output(&written), json!("e"));
    let notes = host.evidence_of(written.work.work_id, "note").await;
    assert_eq!(notes, ["stdout: one", "stderr: what is wrong", "stdout: two"]);
    let flood = host.ran("over-wasi", &event("2", &json!("m"))).await;
    let notes = host.evidence_of(flood.work.work_id, "note").await;
    assert_eq!(notes.iter().map(String::len).max(), Some(4_104));
    assert_eq!(notes.last().expect("a mark"), "notes cut: more than 65536 bytes (limits.log_bytes)");
}

#[tokio::test]
async fn there_is_no_input_no_argument_no_variable_and_no_folder() {
    let (_dir, host) = started().await;
    assert_eq!(said(&host, "1", "l").await, json!([1, 0, 0, 0]));
}

#[tokio::test]
async fn what_no_step_has_ends_the_run_by_its_name() {
    let (_dir, host) = started().await;
    let (cause, _) = stopped(&host, "i").await;
    let reason = "the step called wasi:sockets/instance-network@0.2.0#instance-network, and no step has it: a step has no files, no network and no processes; send by outbox.enqueue";
    assert!(cause.starts_with(reason), "{cause}");
    let (cause, notes) = stopped(&host, "f").await;
    assert!(cause.starts_with("the step ended itself with code 1 (wasi:cli/exit)"), "{cause}");
    assert_eq!(notes, ["stderr: what is wrong"], "what it said before is kept");
    let (cause, _) = stopped(&host, "j").await;
    assert!(cause.starts_with("the step asked for more than 1048576 random bytes at once"), "{cause}");
}

#[tokio::test]
async fn no_wait_is_without_end() {
    let (_dir, host) = started().await;
    for letter in ["g", "h"] {
        let (cause, _) = stopped(&host, letter).await;
        let reason = "the step waits for what never comes (wasi:io/poll)";
        assert!(cause.starts_with(reason), "{letter}: {cause}");
    }
    let (cause, _) = stopped(&host, "k").await;
    assert!(cause.starts_with("the step called the host more than 10000 times"), "{cause}");
}

#[tokio::test]
async fn any_version_of_wasi_0_2_fits_and_another_one_is_linked_and_refused() {
    for version in ["0.2.12", "0.2.99"] {
        let dir = tempfile::tempdir().expect("a folder can be made");
        let host =
            host(dir.path(), &OVER_WASI.replace("@0.2.0", &format!("@{version}")), Limits::default()).await;
        assert_eq!(said(&host, "1", "b").await[0], json!(OCCURRED_S + 5_400), "{version}");
    }
    let dir = tempfile::tempdir().expect("a folder can be made");
    let other = OVER_WASI.replace("wasi:random/insecure@0.2.0", "wasi:random/insecure@0.3.0");
    let host = host(dir.path(), &other, Limits::default()).await;
    assert_eq!(said(&host, "1", "a").await[0], json!(OCCURRED_S));
    let (cause, _) = stopped(&host, "d").await;
    let reason = "the step called wasi:random/insecure@0.3.0#get-insecure-random-u64, and no step has it";
    assert!(cause.starts_with(reason), "{cause}");
}

#[tokio::test]
async fn an_asynchronous_component_is_told_how_to_become_a_synchronous_one() {
    let (_dir, host) = started().await;
    let text =
        OVER_WASI.replace("(component $step\n", "(component $step\n  (core func (canon task.cancel))\n");
    let bytes = wat::parse_str(text).expect("the text is well-formed");
    let error = host.runtime.loader().load(&bytes, &Limits::default()).await.expect_err("it is no step");
    assert!(matches!(error, LoadError::Async(_)), "{error}");
    assert!(error.to_string().contains("--sync"), "{error}");
}

#[tokio::test]
async fn a_contract_is_read_without_the_network_and_without_waiting() {
    let (_dir, host) = started().await;
    for (call, reason) in [
        ("(drop (call $instance-network))", "it called wasi:sockets/instance-network@0.2.0#instance-network"),
        ("(call $exit (i32.const 0))", "the step ended itself with code 0 (wasi:cli/exit)"),
        (
            "(call $pollable-block (call $subscribe-instant (i64.const -1)))",
            "the step waits for what never comes",
        ),
    ] {
        let text = OVER_WASI.replace(";; what a contract calls", call);
        let bytes = wat::parse_str(text).expect("the text is well-formed");
        let error = host.runtime.loader().load(&bytes, &Limits::default()).await.expect_err("it is no step");
        assert!(matches!(error, LoadError::Contract(_)), "{error}");
        let source = error.source().expect("why").source().map_or_else(String::new, ToString::to_string);
        assert!(source.starts_with(reason), "{call}: {source}");
    }
}
