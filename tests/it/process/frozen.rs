//! A sender that stands still past its lease (SIGSTOP, a frozen virtual machine) while the receiver has its requests.
//!
//! One process owns a SQLite file, so that nobody else can take over as long as the frozen one lives: either it goes on, or
//! it is killed and the next owner takes over. A sender in the same process that is overtaken after its lease stands in
//! `protocol/tiers.rs` and `protocol/reference.rs`.

use serde_json::json;
use std::time::{Duration, Instant};
use support::paths;
use support::receiver::process::ReceiverProcess;
use support::service::Service;
use support::tier_config;
use support::tier_config::TIERS;
use support::workspace::Workspace;

/// How long a sender has its row to itself; the least that three requests of a look-up leave. Milliseconds.
const LEASE_MS: u64 = 3_600;

/// How long something may take to come about. It is looked at again and again until then.
const PATIENCE: Duration = Duration::from_secs(120);

/// What becomes of the frozen process.
#[derive(Clone, Copy, Debug)]
enum Then {
    /// It goes on, with requests whose answers are long there or lost.
    GoesOn,
    /// It is killed, and another process takes over.
    IsKilled,
}

fn until(what: &str, mut holds: impl FnMut() -> bool) {
    let begun = Instant::now();
    while !holds() {
        assert!(begun.elapsed() < PATIENCE, "this does not come about: {what}");
        std::thread::park_timeout(Duration::from_millis(10));
    }
}

fn host(dir: &std::path::Path, receiver: &ReceiverProcess) -> Workspace {
    let host = tier_config::workspace(&dir.join("host"), &receiver.url("")).expect("a workspace");
    let path = host.dir().join("onceward.toml");
    let config = std::fs::read_to_string(&path).expect("the configuration");
    let shorter = config
        .replace("lease_ms = 6000", &format!("lease_ms = {LEASE_MS}"))
        .replace("connect_timeout_ms = 1000", "connect_timeout_ms = 200");
    assert_ne!(shorter, config);
    std::fs::write(path, shorter).expect("it can be written");
    host
}

/// Freeze the host while the receiver plays this fault with each of its requests; every tier has its effect once, and only
/// the one that can't tell is in doubt.
fn check(fault: &str, then: Then) {
    let dir = tempfile::tempdir().expect("a temporary folder");
    let crm = dir.path().join("receiver");
    std::fs::create_dir_all(&crm).expect("a folder for the receiver");
    let receiver =
        ReceiverProcess::spawn(&paths::binary("onceward-receiver"), &crm, &[]).expect("a receiver");
    receiver.fault(&[fault; TIERS.len()]).expect("faults");
    let workspace = host(dir.path(), &receiver);
    let mut host = Service::start(&workspace);
    let accepted = host.post(tier_config::EVENTS, &json!({ "event": "e" }));
    assert_eq!(accepted.status(), Some(202), "{}", accepted.text());
    let requests = || receiver.counts().expect("the receiver's file").requests;
    until("the receiver has all requests", || requests() == TIERS.len() as u64);
    host.freeze();
    // A process can only be frozen in real time.
    std::thread::park_timeout(Duration::from_millis(LEASE_MS));
    match then {
        Then::GoesOn => host.thaw(),
        Then::IsKilled => {
            let second = workspace.run(&["serve", "--listen", "127.0.0.1:0"]).expect("it starts");
            let said = String::from_utf8_lossy(&second.stderr);
            assert!(!second.status.success() && said.contains("another process owns it"), "{said}");
            host.kill();
            host = Service::start(&workspace);
        }
    }
    until("nothing is under way", || host.get("/v1/status").json().expect("JSON")["idle"] == true);
    host.stop();
    let rows = workspace.json(&["outbox", "list"]).expect("a list");
    let written = receiver.deals().expect("the receiver's file");
    for tier in TIERS {
        let state =
            |name: &str| rows.as_array()?.iter().find(|row| row["destination"] == name)?["state"].as_str();
        // The answer of a frozen sender may still be read where it goes on.
        let states: &[&str] = match (tier.word(), then) {
            ("blind", Then::GoesOn) => &["in-doubt", "sent"],
            ("blind", Then::IsKilled) => &["in-doubt"],
            _ => &["sent"],
        };
        let state = state(tier.word()).expect("a row for each tier");
        assert!(states.contains(&state), "{tier:?} after {fault}, {then:?}: {state}");
        let effects = written.iter().filter(|effect| effect.kind == tier.word()).count();
        assert_eq!(effects, 1, "{tier:?} after {fault}, {then:?}: {written:?}");
    }
}

#[test]
fn a_sender_frozen_past_its_lease_that_goes_on_has_no_second_effect_where_the_answer_is_late() {
    check("hang:2000", Then::GoesOn);
}

#[test]
fn a_sender_frozen_past_its_lease_that_goes_on_has_no_second_effect_where_the_write_is_late() {
    check("slow:2000", Then::GoesOn);
}

#[test]
fn a_sender_frozen_past_its_lease_keeps_the_ledger_to_itself_until_it_is_killed_and_the_next_owner_doubles_nothing()
 {
    check("slow:2000", Then::IsKilled);
}
