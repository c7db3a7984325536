//! Decisions: the first recorded answer stands, and a work keeps the one it was given.

use crate::conformance::harness::{
    Bench, ELSEWHERE, LEASE_MS, SPACE, arrival, at, done, done_with, held, retry,
};
use onceward::identity::key::CacheKey;
use onceward::identity::key::digest;
use onceward::store::claim::{Acquired, Arrival};
use onceward::store::decided::{DecisionFilter, ModelTotals};
use onceward::store::decision::{
    DecisionFailure, DecisionQuery, DecisionRecord, Figures, Found, Pin, Pinned, PinnedAnswer, RulePin,
    Stored,
};
use onceward::store::slot::SlotApproval;
use onceward::store::work::{Collected, Settled, WorkRef};
use std::sync::Arc;

/// What every recorded answer of these tests took.
const FIGURES: Figures =
    Figures { calls: 2, tokens_in: Some(100), tokens_out: Some(10), cost_micros: Some(7), latency_ms: 30 };

pub(crate) fn key(question: &str) -> CacheKey {
    CacheKey::from_bytes(digest("question", &[question.as_bytes()]))
}

pub(crate) fn pin(held: &Acquired, slot: &str, question: &str) -> Pin {
    let (work, slot) = (at(&held.work), slot.to_owned());
    Pin { work, token: held.token, slot, cache_key: key(question), revision: 1 }
}

pub(crate) fn answer(answer: &str) -> DecisionRecord {
    DecisionRecord {
        model: "oracle".to_owned(),
        prompt_version: "3".to_owned(),
        brought: false,
        answer: answer.to_owned(),
        figures: FIGURES,
    }
}

pub(crate) async fn record(bench: &Bench, held: &Acquired, slot: &str, question: &str, text: &str) -> Stored {
    bench.store.decision_record(answer(text), pin(held, slot, question)).await.expect("the store works")
}

pub(crate) async fn find(bench: &Bench, work: WorkRef, slot: &str, question: Option<&str>) -> Option<Found> {
    let query = DecisionQuery { work, slot: slot.to_owned(), cache_key: question.map(key) };
    bench.store.decision_find(query).await.expect("the store works").found
}

pub(crate) fn pinned(text: &str) -> Option<Found> {
    Some(Found::Pinned(PinnedAnswer { answer: text.to_owned(), approval: SlotApproval::NotAsked }))
}

fn cached(text: &str) -> Option<Found> {
    Some(Found::Cached(text.to_owned()))
}

pub(super) async fn decision_record_the_first_writer_wins(bench: Bench) {
    let (first, second) = (bench.hold("a").await, bench.hold("b").await);
    let stored = record(&bench, &first, "s", "q", r#""one""#).await;
    assert_eq!(
        stored,
        Stored { answer: r#""one""#.to_owned(), pinned: Pinned::Answer(r#""one""#.to_owned()) }
    );
    let late = record(&bench, &second, "s", "q", r#""two""#).await;
    assert_eq!(late, stored, "the second asked in vain, and gets the first answer");
    for held in [&first, &second] {
        assert_eq!(find(&bench, at(&held.work), "s", None).await, pinned(r#""one""#));
    }
}

pub(super) async fn decision_record_by_many_at_once_keeps_one_answer(bench: Bench) {
    let mut calls = Vec::new();
    for n in 0..20 {
        let held = bench.hold(&n.to_string()).await;
        let store = Arc::clone(&bench.store);
        calls.push(tokio::spawn(async move {
            store.decision_record(answer(&n.to_string()), pin(&held, "s", "q")).await
        }));
    }
    let mut answers = Vec::new();
    for call in calls {
        answers.push(call.await.expect("no panic").expect("no error"));
    }
    answers.dedup();
    assert_eq!(answers.len(), 1, "{answers:?}");
}

pub(super) async fn decision_record_keeps_the_answer_of_a_run_that_lost_its_lease(bench: Bench) {
    let slow = bench.hold("a").await;
    bench.advance(LEASE_MS);
    let next = bench.hold("a").await;
    let stored = record(&bench, &slow, "s", "q", r#""paid""#).await;
    assert_eq!(stored, Stored { answer: r#""paid""#.to_owned(), pinned: Pinned::LeaseLost });
    assert_eq!(find(&bench, at(&next.work), "s", None).await, None);
    assert_eq!(find(&bench, at(&next.work), "s", Some("q")).await, cached(r#""paid""#));
    assert_eq!(bench.kinds(at(&next.work)).await, ["claimed", "claimed"]);
}

pub(super) async fn decision_record_is_on_disk_when_it_returns(bench: Bench) {
    let held = bench.hold("a").await;
    record(&bench, &held, "s", "q", "\"nul \u{0} and  blanks\"").await;
    let bench = bench.reopen().await;
    assert_eq!(find(&bench, at(&held.work), "s", None).await, pinned("\"nul \u{0} and  blanks\""));
}

pub(super) async fn decision_find_s05_a_pin_beats_a_changed_question(bench: Bench) {
    let first = bench.hold("a").await;
    assert_eq!(find(&bench, at(&first.work), "s", Some("old prompt")).await, None);
    record(&bench, &first, "s", "old prompt", r#""old""#).await;
    bench.settle(&first, retry(0)).await;
    let second = bench.hold("a").await;
    assert_eq!(find(&bench, at(&second.work), "s", Some("new prompt")).await, pinned(r#""old""#));
    // Even an answer to the new question does not move the pin.
    let stored = record(&bench, &second, "s", "new prompt", r#""new""#).await;
    assert_eq!(
        stored,
        Stored { answer: r#""new""#.to_owned(), pinned: Pinned::Answer(r#""old""#.to_owned()) }
    );
    assert_eq!(find(&bench, at(&second.work), "s", Some("new prompt")).await, pinned(r#""old""#));
    // New work uses the new prompt; another slot of the old work as well.
    let new = bench.hold("b").await;
    assert_eq!(find(&bench, at(&new.work), "s", Some("new prompt")).await, cached(r#""new""#));
    assert_eq!(find(&bench, at(&second.work), "other", Some("new prompt")).await, cached(r#""new""#));
    assert_eq!(find(&bench, at(&second.work), "other", None).await, None);
}

pub(super) async fn decision_pin_ties_a_cached_answer_to_a_slot_once(bench: Bench) {
    let asked = bench.hold("a").await;
    record(&bench, &asked, "s", "q", r#""one""#).await;
    record(&bench, &asked, "t", "r", r#""other""#).await;
    let held = bench.hold("b").await;
    let pin_to = async |question: &str| {
        bench.store.decision_pin(pin(&held, "s", question)).await.expect("the store works")
    };
    assert_eq!(pin_to("q").await, Pinned::Answer(r#""one""#.to_owned()));
    assert_eq!(pin_to("r").await, Pinned::Answer(r#""one""#.to_owned()), "the first pin stands");
    assert_eq!(find(&bench, at(&held.work), "s", Some("r")).await, pinned(r#""one""#));
    assert_eq!(bench.kinds(at(&held.work)).await, ["claimed", "decided"]);
}

pub(super) async fn decision_pin_with_a_stale_token_pins_nothing(bench: Bench) {
    let asked = bench.hold("a").await;
    record(&bench, &asked, "s", "q", r#""one""#).await;
    let slow = bench.hold("b").await;
    bench.advance(LEASE_MS);
    let next = bench.hold("b").await;
    assert_eq!(
        bench.store.decision_pin(pin(&slow, "s", "q")).await.expect("the store works"),
        Pinned::LeaseLost
    );
    assert_eq!(find(&bench, at(&next.work), "s", None).await, None);
    bench.settle(&next, done()).await;
    assert_eq!(
        bench.store.decision_pin(pin(&next, "s", "q")).await.expect("the store works"),
        Pinned::LeaseLost
    );
}

pub(super) async fn decision_pin_of_an_answer_that_is_not_there_fails(bench: Bench) {
    let held = bench.hold("a").await;
    assert!(bench.store.decision_pin(pin(&held, "s", "never asked")).await.is_err());
    assert_eq!(find(&bench, at(&held.work), "s", Some("never asked")).await, None);
}

pub(super) async fn decision_find_sees_rule_pins_after_the_settle_only(bench: Bench) {
    let held = bench.hold("a").await;
    record(&bench, &held, "asked", "q", r#""asked""#).await;
    let pins = ["asked", "by rule"]
        .map(|slot| RulePin { slot: slot.to_owned(), answer: format!(r#""rule for {slot}""#) })
        .to_vec();
    assert_eq!(find(&bench, at(&held.work), "by rule", None).await, None);
    bench.settle(&held, done_with(Collected { pins, ..Collected::default() })).await;
    assert_eq!(find(&bench, at(&held.work), "by rule", None).await, pinned(r#""rule for by rule""#));
    assert_eq!(
        find(&bench, at(&held.work), "asked", None).await,
        pinned(r#""asked""#),
        "the first pin stands"
    );
    assert_eq!(bench.kinds(at(&held.work)).await, ["claimed", "decided", "decided", "settled"]);
}

pub(super) async fn decision_find_shares_nothing_between_namespaces(bench: Bench) {
    let here = bench.hold("a").await;
    record(&bench, &here, "s", "q", r#""here""#).await;
    let there = held(bench.claim(Arrival { namespace: ELSEWHERE.to_owned(), ..arrival("a") }).await);
    assert_eq!(find(&bench, at(&there.work), "s", Some("q")).await, None);
    record(&bench, &there, "s", "q", r#""there""#).await;
    assert_eq!(find(&bench, at(&there.work), "s", None).await, pinned(r#""there""#));
    assert_eq!(find(&bench, at(&here.work), "s", None).await, pinned(r#""here""#));
    assert_eq!(bench.settle(&here, done()).await, Settled::Applied);
}

async fn totals(bench: &Bench) -> Vec<ModelTotals> {
    bench.store.decision_totals(SPACE).await.expect("the store works")
}

fn failure(held: &Acquired, figures: Figures) -> DecisionFailure {
    let (slot, model, cause) = ("s".to_owned(), "oracle".to_owned(), "503".to_owned());
    DecisionFailure { work: at(&held.work), slot, model, cause, figures }
}

pub(super) async fn decision_fail_is_evidence_and_counts_what_was_paid(bench: Bench) {
    let held = bench.hold("a").await;
    bench.store.decision_fail(failure(&held, FIGURES)).await.expect("the store works");
    let evidence = bench.store.evidence_list(at(&held.work)).await.expect("the store works");
    let last = evidence.last().expect("there is evidence");
    assert_eq!(last.kind, "undecided");
    for part in ["\"s\"", "oracle", "2 calls", "7 millionths", "503"] {
        assert!(last.detail.contains(part), "{part}: {}", last.detail);
    }
    let paid = ModelTotals {
        model: "oracle".to_owned(),
        calls: 2,
        failed_calls: 2,
        tokens_in: 100,
        tokens_out: 10,
        cost_micros: 7,
        ..ModelTotals::default()
    };
    assert_eq!(totals(&bench).await, [paid]);
    assert!(bench.store.decision_totals(ELSEWHERE).await.expect("the store works").is_empty());
}

pub(super) async fn decision_totals_tell_calls_from_answers_without_one(bench: Bench) {
    let (asks, finds) = (bench.hold("a").await, bench.hold("b").await);
    record(&bench, &asks, "s", "q", "1").await;
    for _ in 0..2 {
        bench.store.decision_pin(pin(&finds, "s", "q")).await.expect("the store works");
    }
    let pins = vec![RulePin { slot: "r".to_owned(), answer: "2".to_owned() }];
    bench.settle(&finds, done_with(Collected { pins, ..Collected::default() })).await;
    bench.settle_replaying(&asks, retry(0), &["s"]).await;
    let again = bench.hold("a").await;
    bench.settle_replaying(&again, done(), &["s", "nothing"]).await;
    let told = ModelTotals {
        model: "oracle".to_owned(),
        calls: 2,
        failed_calls: 1,
        tokens_in: 100,
        tokens_out: 10,
        cost_micros: 7,
        asked: 1,
        cached: 1,
        replayed: 2,
    };
    assert_eq!(totals(&bench).await, [told]);
    let kinds = bench.kinds(at(&asks.work)).await;
    assert_eq!(kinds, ["claimed", "decided", "replayed", "settled", "claimed", "replayed", "settled"]);
}

pub(super) async fn decision_totals_take_hostile_figures_and_never_overflow(bench: Bench) {
    let held = bench.hold("a").await;
    let all = Some(u64::MAX);
    let hostile =
        Figures { calls: 1, tokens_in: all, tokens_out: all, cost_micros: all, latency_ms: u64::MAX };
    for n in 0..3 {
        let recorded = DecisionRecord { figures: hostile, ..answer("1") };
        let pin = pin(&held, &n.to_string(), &n.to_string());
        bench.store.decision_record(recorded, pin).await.expect("the store works");
        bench.store.decision_fail(failure(&held, hostile)).await.expect("the store works");
    }
    assert!(totals(&bench).await[0].cost_micros > 0);
}

pub(super) async fn decision_list_is_newest_first_and_filtered(bench: Bench) {
    let (first, second) = (bench.hold("a").await, bench.hold("b").await);
    record(&bench, &first, "s", "q", "1").await;
    bench.advance(1);
    record(&bench, &first, "t", "r", "2").await;
    bench.advance(1);
    bench.store.decision_pin(pin(&second, "s", "q")).await.expect("the store works");
    let every =
        || DecisionFilter { namespace: SPACE.to_owned(), work: None, slot: None, waiting: false, limit: 100 };
    let listed = async |filter: DecisionFilter| {
        let entries = bench.store.decision_list(filter).await.expect("the store works");
        let name = |entry: &onceward::store::decided::DecisionEntry| {
            let origin = entry.decided.as_ref().map(|decided| decided.origin.clone()).unwrap_or_default();
            format!("{}/{} {origin}", entry.work_key, entry.slot)
        };
        entries.iter().map(name).collect::<Vec<_>>()
    };
    let [b, t, a] = ["qualify:v1:b/s cached", "qualify:v1:a/t asked", "qualify:v1:a/s asked"];
    assert_eq!(listed(every()).await, [b, t, a]);
    assert_eq!(listed(DecisionFilter { limit: 1, ..every() }).await, [b]);
    assert_eq!(listed(DecisionFilter { slot: Some("s".to_owned()), ..every() }).await, [b, a]);
    let of_first = DecisionFilter { work: Some(first.work.work_id), ..every() };
    assert_eq!(listed(of_first.clone()).await, [t, a]);
    assert_eq!(listed(DecisionFilter { slot: Some("t".to_owned()), ..of_first.clone() }).await, [t]);
    assert!(listed(DecisionFilter { waiting: true, ..every() }).await.is_empty());
    assert!(listed(DecisionFilter { waiting: true, ..of_first }).await.is_empty());
    assert!(listed(DecisionFilter { namespace: ELSEWHERE.to_owned(), ..every() }).await.is_empty());
    let entry = &bench.store.decision_list(every()).await.expect("the store works")[2];
    let decided = entry.decided.as_ref().expect("it is decided");
    assert_eq!((decided.answer.as_str(), decided.figures), ("1", FIGURES));
}
