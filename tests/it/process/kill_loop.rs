//! SIGKILLs at random moments of the whole lead flow, with receivers of each tier that lose answers, refuse and fail:
//! every deal, reply and owner once, nothing lost, nothing stays running.
//!
//! A person approves the replies through the command line, which is killed as well, and each of them more than once. At
//! the tier that can promise nothing, rows end in doubt, and a person looks into the receiver and says what happened.

use super::Stage;
use onceward::clock::Clock as _;
use onceward::contract::tier::Tier;
use serde_json::{Value, json};
use std::process::Stdio;
use std::time::{Duration, Instant};
use support::handoffs::Handoffs;
use support::receiver::evidence;
use support::sim_clock::SimClock;
use support::workspace::killed;

/// Kills at each tier before the loop ends: sixty in all.
const KILLS: usize = 15;

/// Leads that are on their way during the kills.
const LEADS: usize = 6;

/// The longest time a run is left alive, in idle runs of this machine: loading the steps takes most of one, and what
/// moves a lead the rest.
const LIFE_MAX_RUNS: u64 = 2;

/// Idle runs that are timed; the shortest counts, since a busy machine makes single ones long.
const IDLE_RUNS: usize = 3;

/// Rounds of delivering and resolving after which a test goes in circles.
const ROUNDS_MAX: usize = 40;

#[tokio::test(flavor = "multi_thread")]
async fn sigkills_at_random_moments_leave_every_effect_once_where_the_receiver_takes_a_key() {
    let stage = check(Tier::Key).await;
    let counts = stage.crm.counts().expect("the receiver's file");
    assert!(counts.bodies <= 1 && counts.conflicts == 0, "a key went out with other bytes: {counts:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn sigkills_at_random_moments_leave_every_effect_once_where_the_receiver_has_a_field() {
    check(Tier::Field).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn sigkills_at_random_moments_leave_every_effect_once_where_the_receiver_can_be_searched() {
    check(Tier::Lookup).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn sigkills_at_random_moments_leave_every_effect_once_where_a_person_says_what_happened() {
    check(Tier::Blind).await;
}

async fn check(tier: Tier) -> Stage {
    let stage = Stage::whole(&["--flaky", "25", "--seed", "7"], tier);
    let leads: Vec<String> = (0..LEADS).map(|n| format!("msg-{n}")).collect();
    for lead in &leads {
        // Each text differs, so that each lead needs an answer of its own.
        let text = format!("The pallet of {lead} arrived broken.");
        stage.host.lead(&format!("{lead}.json"), lead, &text).expect("an event");
    }
    let (kills, acknowledged) = kill(&stage, &leads).await;
    // Who was acknowledged does not send again; everyone else does.
    for (lead, _) in leads.iter().zip(&acknowledged).filter(|(_, acknowledged)| !**acknowledged) {
        stage.json(&["run", &format!("{lead}.json")]);
    }
    let resolved = settle(&stage);
    assert_eq!(resolved > 0, tier == Tier::Blind, "{tier:?}: {resolved} rows were resolved by a person");

    let handoffs = Handoffs::of(&stage.crm_dir()).expect("the receiver's file");
    assert_eq!((handoffs.lost(&leads), handoffs.twice(&leads)), (0, 0), "{tier:?}: {handoffs:?}");
    let told = stage.json(&["resume", "--deliver"]);
    // Four steps of the flow, and one each from the receipts of the deal and the reply.
    assert_eq!(told["works"], json!({ "done": 6 * LEADS }), "{tier:?}: {told}");
    assert_eq!(told["outbox"], json!({ "sent": 3 * LEADS }), "{tier:?}: {told}");
    for lead in &leads {
        let shown = stage.json(&["work", "show", &format!("lead-intake:v1:web-form:{lead}")]);
        assert_eq!(shown["stage"], "replied", "{tier:?}: {shown}");
    }
    let calls = stage.host.model_calls().expect("the call log");
    // At most one call a lead, and one more for each kill during a call.
    assert!((LEADS..=LEADS + kills).contains(&calls), "{tier:?}: {calls} model calls, {kills} kills");
    stage
}

/// Start commands and kill them; how many were killed, and which leads were acknowledged before.
async fn kill(stage: &Stage, leads: &[String]) -> (usize, Vec<bool>) {
    let chance = SimClock::default();
    let idle_us = (0..IDLE_RUNS).map(|_| idle_us(stage)).min().expect("some idle runs");
    let mut acknowledged = vec![false; leads.len()];
    let mut kills = 0;
    // A loop in which nothing got as far as the receiver would prove nothing.
    while kills < KILLS || evidence::deals(&stage.crm_dir()).expect("the receiver's file").is_empty() {
        let at = below(&chance, leads.len());
        let file = format!("{}.json", leads[at]);
        // One turn in three a person approves; one is a restart that only resumes, as a supervisor would.
        let turn = below(&chance, 3);
        let draft = if turn == 0 { draft(stage, &chance) } else { None };
        let args = match &draft {
            Some(row) => vec!["outbox", "approve", row, "--by", "Noor", "--why", "reads well"],
            None if turn == 1 => vec!["resume", "--deliver", "--wait", "5"],
            None => vec!["run", &file, "--deliver", "--wait", "5"],
        };
        // An approval loads no step, and is done in a fraction of the time.
        let life_max_us = if draft.is_some() { idle_us / 2 } else { LIFE_MAX_RUNS * idle_us };
        let mut child = stage.host.command(&args).stdout(Stdio::null()).spawn().expect("it starts");
        tokio::time::sleep(Duration::from_micros(chance.random_up_to(life_max_us))).await;
        child.kill().expect("a signal can be sent");
        let status = child.wait().expect("it ends");
        if killed(status) {
            kills += 1;
        } else if args[0] == "run" && status.success() {
            acknowledged[at] = true;
        }
    }
    (kills, acknowledged)
}

/// How long a run takes that has nothing to do, in microseconds.
fn idle_us(stage: &Stage) -> u64 {
    let start = Instant::now();
    stage.json(&["resume"]);
    u64::try_from(start.elapsed().as_micros()).expect("a start takes no ages")
}

fn below(chance: &SimClock, count: usize) -> usize {
    let count = u64::try_from(count).expect("a short list");
    usize::try_from(chance.random_up_to(count - 1)).expect("a place in a short list")
}

/// A reply, whatever has become of it: people click on what they see, also on what was approved before.
fn draft(stage: &Stage, chance: &SimClock) -> Option<String> {
    let listed = stage.json(&["outbox", "list"]);
    let replies = listed.as_array()?.iter().filter(|row| row["destination"] == "messages");
    let ids: Vec<&str> = replies.filter_map(|row| row["row_id"].as_str()).collect();
    (!ids.is_empty()).then(|| ids[below(chance, ids.len())].to_owned())
}

/// Approve, deliver and resolve until every row is sent; how many rows a person had to resolve.
fn settle(stage: &Stage) -> usize {
    let mut resolved = 0;
    for _ in 0..ROUNDS_MAX {
        let told = stage.json(&["resume", "--deliver", "--wait", "20"]);
        let states = told["outbox"].as_object().expect("the outbox by state");
        if states.keys().all(|state| state == "sent") && told["works"] == json!({ "done": 6 * LEADS }) {
            return resolved;
        }
        for row in rows(stage, "held") {
            let approve =
                || stage.json(&["outbox", "approve", &row_id(&row), "--by", "Noor", "--why", "reads well"]);
            let verdicts = [approve(), approve()].map(|told| told["verdict"].clone());
            assert_eq!(verdicts, [json!("applied"), json!("already")]);
        }
        for row in rows(stage, "in-doubt") {
            resolve(stage, &row);
            resolved += 1;
        }
    }
    panic!("rows come back for ever: {}", stage.json(&["outbox", "list"]));
}

/// A person looks into the receiver, and says what happened to a row in doubt.
fn resolve(stage: &Stage, row: &Value) {
    let payload: Value = serde_json::from_str(row["payload"].as_str().expect("a payload")).expect("JSON");
    let there = evidence::deals(&stage.crm_dir()).expect("the receiver's file");
    let same = |body: &str| serde_json::from_str::<Value>(body).is_ok_and(|body| body == payload);
    let id = row_id(row);
    let mut args = vec!["outbox", "resolve", &id, "--by", "Noor", "--why", "seen at the receiver", "--as"];
    match there.iter().find(|found| same(&found.body)) {
        Some(found) => args.extend(["sent", "--reference", &found.id]),
        None => args.push("again"),
    }
    stage.json(&args);
}

fn rows(stage: &Stage, state: &str) -> Vec<Value> {
    let listed = stage.json(&["outbox", "list", "--state", state]);
    listed.as_array().expect("a list of rows").clone()
}

fn row_id(row: &Value) -> String {
    row["row_id"].as_str().expect("a row has an id").to_owned()
}
