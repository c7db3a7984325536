//! Steps without a mistake: whatever goes wrong, all comes to the same.

use onceward::contract::tier::Tier;
use onceward::verify::fault::{Door, Fault};
use onceward::verify::judge::Judge;
use onceward::verify::run::Stage;
use onceward::verify::schedule::Schedule;
use onceward::verify::search::Report;
use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;
use support::host::event;
use support::verified::{Verified, bad_event, blocking};

/// The lead flow with the steps that go on from receipts.
fn lead_flow() -> Verified {
    let steps =
        ["lead_intake", "lead_classifier", "crm_writer", "reply_writer", "reply_recorder", "deal_owner"];
    let lead = serde_json::json!({
        "source": "web-form",
        "message_id": "msg-1",
        "contact": { "name": "Ada", "email": "ada@example.com" },
        "text": "The pallet arrived broken.",
    });
    Verified::flow(&steps, &["lead-intake", "lead-classifier", "crm-writer", "reply-writer"])
        .event(event("msg-1", &lead))
}

fn passed(what: &str, report: &Report) {
    assert!(report.failure.is_none(), "{what}: {:#?}", report.failure);
    let single = &report.phases[0];
    assert_eq!(single.tried, single.schedules, "{what}: every single fault is tried");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_good_step_comes_through_every_fault_and_pairs_of_them_at_each_tier() {
    for tier in [Tier::Key, Tier::Field, Tier::Lookup, Tier::Blind] {
        let step = Verified::step("good_deal").declared(tier).event(bad_event("good_deal"));
        let report = step.search(Duration::from_secs(2)).await;
        passed(tier.word(), &report);
        assert!(report.phases.iter().all(|phase| phase.tried > 0), "{:?}", report.phases);
        let expected: BTreeSet<Fault> = Fault::ALL.into_iter().collect();
        let happened: BTreeSet<Fault> = report.faults.keys().copied().collect();
        assert_eq!(happened, expected, "{tier:?}: each kind of fault has happened");
    }
}

/// How often a state was entered.
fn times(report: &Report, noun: &str, state: &str) -> u64 {
    let states = report.states.iter().filter(|of| of.noun == noun).flat_map(|of| &of.states);
    states.filter(|(known, _)| known == state).map(|(_, times)| times).sum()
}

#[tokio::test(flavor = "multi_thread")]
async fn held_decisions_alerts_and_mirrored_stages_come_through_every_fault() {
    for tier in [Tier::Key, Tier::Blind] {
        let step = Verified::step("good_deal").declared(tier).event(bad_event("good_deal"));
        let step = step.holding("priority").alerting("pager").mirrored_to("board");
        let report = step.search(Duration::from_secs(1)).await;
        passed(tier.word(), &report);
        let told = report.clean.keys().filter(|part| part.starts_with("what board has of"));
        assert_eq!(told.count(), 1, "the stage is told once: {:#?}", report.clean);
        // The answer is approved each time, and a model that is down leaves none to approve.
        for state in ["recorded", "held", "approved", "failed"] {
            assert!(times(&report, "decision", state) > 0, "{state}: {:?}", report.states);
        }
        assert!(times(&report, "work", "review") > 0 && times(&report, "decision", "rejected") == 0);
        assert_eq!(times(&report, "row", "in-doubt") > 0, tier == Tier::Blind, "{:?}", report.states);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_model_that_is_down_leaves_no_answer_and_the_lead_goes_on_all_the_same() {
    let subject = lead_flow().declared(Tier::Key).subject().await;
    blocking(move || {
        let judge = Judge::new(&subject).expect("a run");
        let model =
            judge.clean().trace.iter().find(|step| step.door == Door::Model).expect("it is asked").number;
        // However it fails, the run is held against one in which it fails like this.
        for faults in [
            &[(0, Fault::ModelDown)][..],
            &[(0, Fault::ModelFails), (1, Fault::ModelDown)],
            &[(0, Fault::ModelFails), (1, Fault::ModelFails), (2, Fault::ModelInvalid)],
        ] {
            let schedule =
                faults.iter().fold(Schedule::clean(), |all, (at, fault)| all.and(model + at, *fault));
            let (observed, findings) = judge.try_out(&schedule).expect("a run");
            assert_eq!(findings, [], "{schedule}");
            assert!(observed.trace.iter().any(|step| step.what == "decision_fail"), "{schedule}");
        }
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn the_lead_flow_comes_through_every_fault() {
    let report = lead_flow().declared(Tier::Key).search(Duration::from_secs(1)).await;
    passed("the lead flow", &report);
    let sent =
        report.clean.iter().filter(|(part, state)| part.contains("effect") && state.starts_with("sent"));
    assert_eq!(sent.count(), 3, "the deal, the reply and the owner: {:#?}", report.clean);
    // An answer that is lost is asked for again, and is another one.
    assert!(report.outcomes > 1, "the model's answers differ");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_run_with_one_schedule_is_always_the_same_run() {
    let subject = lead_flow().declared(Tier::Lookup).subject().await;
    blocking(move || {
        let (stage, fresh) = (Stage::new(&subject).expect("a stage"), Stage::new(&subject).expect("a stage"));
        let clean = stage.run(&Schedule::clean(), BTreeMap::new()).expect("a run").trace;
        let model = clean.iter().find(|step| step.door == Door::Model).expect("a model is asked").number;
        let asked = Schedule::clean().and(model, Fault::ModelDown);
        let told = ["3:overtaken 12:dies-after", "0:redelivered 20:reply-lost 25:busy"];
        let told = told.map(|schedule| schedule.parse().expect("a schedule"));
        for schedule in told.into_iter().chain([asked]) {
            let once = stage.run(&schedule, BTreeMap::new()).expect("a run");
            // A ledger that has served other runs is as good as one that has served none.
            let again = fresh.run(&schedule, BTreeMap::new()).expect("a run");
            // What stands at a later point depends on the faults before it.
            let first = schedule.faults().next();
            let happened = once.trace.iter().find_map(|step| Some((step.number, step.fault?)));
            assert_eq!(happened, first, "its first fault happens");
            assert_eq!(once.trace, again.trace, "{schedule}");
            assert_eq!((once.outcome, once.reached), (again.outcome, again.reached), "{schedule}");
        }
    })
    .await;
}
