//! Items of a batch: held as long as the run that claimed them, done for ever.

use crate::conformance::harness::{
    Bench, ELSEWHERE, LEASE_MS, STEP, arrival, at, done, done_with, held, retry,
};
use onceward::store::claim::{Acquired, Arrival};
use onceward::store::item::{ItemClaim, ItemEffect, ItemVerdict};
use onceward::store::work::{Collected, Outcome, Settled};

async fn claim(bench: &Bench, held: &Acquired, keys: &[&str]) -> Option<Vec<ItemVerdict>> {
    let keys = keys.iter().map(|key| (*key).to_owned()).collect();
    let claim = ItemClaim { work: at(&held.work), step: STEP.to_owned(), token: held.token, keys };
    bench.store.item_claim(claim).await.expect("the store works")
}

fn effects(keys: &[&str], released: &[&str]) -> Collected {
    let effect =
        |key: &&str| ItemEffect { key: (*key).to_owned(), external_reference: Some(format!("crm-{key}")) };
    Collected {
        effects: keys.iter().map(effect).collect(),
        released: released.iter().map(|key| (*key).to_owned()).collect(),
        ..Collected::default()
    }
}

fn finished(key: &str) -> ItemVerdict {
    ItemVerdict::Done(Some(format!("crm-{key}")))
}

pub(super) async fn item_claim_gives_each_item_its_verdict_in_order(bench: Bench) {
    let (first, second) = (bench.hold("a").await, bench.hold("b").await);
    let verdicts = claim(&bench, &first, &["1", "2", "1"]).await.expect("held");
    assert_eq!(verdicts, [ItemVerdict::Acquired, ItemVerdict::Acquired, ItemVerdict::InProgress]);
    let verdicts = claim(&bench, &second, &["3", "2", "3"]).await.expect("held");
    assert_eq!(verdicts, [ItemVerdict::Acquired, ItemVerdict::InProgress, ItemVerdict::InProgress]);
    assert_eq!(claim(&bench, &second, &[]).await, Some(Vec::new()));
}

pub(super) async fn item_claim_finds_done_items_done_for_ever(bench: Bench) {
    let first = bench.hold("a").await;
    claim(&bench, &first, &["1", "2"]).await.expect("held");
    bench.settle(&first, done_with(effects(&["1"], &[]))).await;
    bench.advance(1_000 * LEASE_MS);
    let bench = bench.reopen().await;
    let second = bench.hold("b").await;
    // The one that the finished run left behind is free.
    let verdicts = claim(&bench, &second, &["1", "1", "2"]).await.expect("held");
    assert_eq!(verdicts, [finished("1"), finished("1"), ItemVerdict::Acquired]);
}

pub(super) async fn item_claim_s21_repeats_no_item_of_a_run_that_died(bench: Bench) {
    let first = bench.hold("a").await;
    claim(&bench, &first, &["1", "2"]).await.expect("held");
    let chunk = Outcome::Continue { cursor: "2".to_owned(), collected: effects(&["1", "2"], &[]) };
    assert_eq!(bench.settle(&first, chunk).await, Settled::Applied);
    let second = bench.take().await.expect("continued");
    claim(&bench, &second, &["3"]).await.expect("held");
    // It dies here, and the batch is started again under another id.
    let other = bench.hold("b").await;
    let verdicts = claim(&bench, &other, &["1", "2", "3"]).await.expect("held");
    assert_eq!(verdicts, [finished("1"), finished("2"), ItemVerdict::InProgress]);
    bench.advance(LEASE_MS);
    let third = bench.take().await.expect("the lease has ended");
    assert!(third.takeover);
    assert_eq!(claim(&bench, &third, &["3"]).await.expect("held"), [ItemVerdict::Acquired]);
}

pub(super) async fn item_claim_frees_the_items_of_a_run_that_ended_or_was_taken_over(bench: Bench) {
    let slow = bench.hold("a").await;
    claim(&bench, &slow, &["1"]).await.expect("held");
    let other = bench.hold("b").await;
    bench.advance(LEASE_MS);
    let next = bench.hold("a").await;
    let kept = claim(&bench, &other, &["1"]).await.expect("nobody took it over");
    assert_eq!(kept, [ItemVerdict::Acquired]);
    assert_eq!(claim(&bench, &next, &["1"]).await.expect("held"), [ItemVerdict::InProgress]);
    bench.settle(&other, retry(0)).await;
    assert_eq!(claim(&bench, &next, &["1"]).await.expect("held"), [ItemVerdict::Acquired]);
}

pub(super) async fn item_claim_by_a_run_that_lost_its_lease_claims_nothing(bench: Bench) {
    let slow = bench.hold("a").await;
    bench.advance(LEASE_MS);
    let next = bench.hold("a").await;
    assert_eq!(claim(&bench, &slow, &["1"]).await, None);
    assert_eq!(claim(&bench, &next, &["1"]).await.expect("held"), [ItemVerdict::Acquired]);
    bench.settle(&next, done()).await;
    assert_eq!(claim(&bench, &next, &["2"]).await, None);
}

pub(super) async fn item_claim_takes_released_items(bench: Bench) {
    let first = bench.hold("a").await;
    claim(&bench, &first, &["1", "2"]).await.expect("held");
    let chunk =
        Outcome::Continue { cursor: "c".to_owned(), collected: effects(&["1"], &["2", "never claimed"]) };
    assert_eq!(bench.settle(&first, chunk).await, Settled::Applied);
    let second = bench.hold("b").await;
    let verdicts = claim(&bench, &second, &["1", "2", "never claimed"]).await.expect("held");
    assert_eq!(verdicts, [finished("1"), ItemVerdict::Acquired, ItemVerdict::Acquired]);
    // Releasing what another run holds, or what is done, changes nothing.
    let third = bench.hold("c").await;
    assert_eq!(bench.settle(&third, done_with(effects(&[], &["1", "2"]))).await, Settled::Applied);
    let fourth = bench.hold("d").await;
    let verdicts = claim(&bench, &fourth, &["1", "2"]).await.expect("held");
    assert_eq!(verdicts, [finished("1"), ItemVerdict::InProgress]);
}

pub(super) async fn item_claim_shares_nothing_between_steps_and_namespaces(bench: Bench) {
    let here = bench.hold("a").await;
    claim(&bench, &here, &["1"]).await.expect("held");
    bench.settle(&here, done_with(effects(&["1"], &[]))).await;
    let there = held(bench.claim(Arrival { namespace: ELSEWHERE.to_owned(), ..arrival("a") }).await);
    assert_eq!(claim(&bench, &there, &["1"]).await.expect("held"), [ItemVerdict::Acquired]);
    let step = "other-step".to_owned();
    let other = held(bench.claim(Arrival { step: step.clone(), ..arrival("b") }).await);
    let order = ItemClaim { work: at(&other.work), step, token: other.token, keys: vec!["1".to_owned()] };
    let verdicts = bench.store.item_claim(order).await.expect("the store works");
    assert_eq!(verdicts, Some(vec![ItemVerdict::Acquired]));
    assert_eq!(bench.settle(&other, done_with(effects(&["1"], &[]))).await, Settled::Applied);
}
