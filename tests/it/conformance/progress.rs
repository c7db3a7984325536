//! Progress of a handoff: forward only.

use crate::conformance::harness::{Bench, ELSEWHERE, SPACE, arrival, done_with, follow_up, held, row};
use onceward::store::claim::Arrival;
use onceward::store::outbox::NewRow;
use onceward::store::progress::{ProgressFilter, StageCount};
use onceward::store::work::{Collected, Mark, Outcome, Settled, WorkFilter};
use support::sim_clock::START_MS;

/// The operator's list.
const STAGES: [&str; 4] = ["received", "matched", "owned", "replied"];

/// What a step collects that moves its handoff to a stage of this list.
fn mark_by(stages: &[&str], stage: &str) -> Collected {
    let kept = stages.iter().skip_while(|known| **known != stage).map(|known| (*known).to_owned()).collect();
    Collected { mark: Some(Mark { stage: stage.to_owned(), kept, mirror: None }), ..Collected::default() }
}

fn mark(stage: &str) -> Collected {
    mark_by(&STAGES, stage)
}

/// Settle chunk after chunk, and see the stage that the handoff is at after each.
async fn check(bench: &Bench, steps: &[(Collected, &str)]) {
    let mut held = bench.hold("a").await;
    let root = held.work.root_key;
    for (collected, reached) in steps {
        let chunk = Outcome::Continue { cursor: "c".to_owned(), collected: collected.clone() };
        assert_eq!(bench.settle(&held, chunk).await, Settled::Applied);
        let found = bench.store.progress_find(SPACE, root).await.expect("the store works");
        assert_eq!(found.as_deref(), Some(*reached), "after {collected:?}");
        held = bench.take().await.expect("continued");
    }
}

pub(super) async fn progress_find_goes_forward_only(bench: Bench) {
    let steps = [
        (mark("matched"), "matched"),
        (mark("received"), "matched"),
        (mark("replied"), "replied"),
        (mark("owned"), "replied"),
    ];
    check(&bench, &steps).await;
    let bench = bench.reopen().await;
    let root = bench.store.work_list(all()).await.expect("the store works")[0].root_key;
    let found = bench.store.progress_find(SPACE, root).await.expect("the store works");
    assert_eq!(found.as_deref(), Some("replied"));
}

pub(super) async fn progress_find_goes_by_the_list_that_holds_now(bench: Bench) {
    // The operator takes `received` out, and later `matched`: a stage that is gone holds nothing back.
    let steps = [
        (mark("matched"), "matched"),
        (mark_by(&["matched", "owned", "replied"], "owned"), "owned"),
        (mark_by(&["received", "replied"], "received"), "received"),
        (mark_by(&["received", "replied"], "replied"), "replied"),
        (mark_by(&["received", "replied"], "received"), "replied"),
    ];
    check(&bench, &steps).await;
}

fn all() -> WorkFilter {
    WorkFilter::all(SPACE, 10)
}

pub(super) async fn progress_find_shares_nothing_between_namespaces_and_roots(bench: Bench) {
    let here = bench.finish("a", mark("matched")).await;
    let other = bench.hold("b").await;
    let find = async |namespace: &str, root| {
        bench.store.progress_find(namespace, root).await.expect("the store works")
    };
    assert_eq!(find(ELSEWHERE, here.work.root_key).await, None);
    assert_eq!(find(SPACE, other.work.root_key).await, None);
    let there = held(bench.claim(Arrival { namespace: ELSEWHERE.to_owned(), ..arrival("a") }).await);
    assert_eq!(bench.settle(&there, done_with(mark("received"))).await, Settled::Applied);
    assert_eq!(find(ELSEWHERE, here.work.root_key).await.as_deref(), Some("received"));
    assert_eq!(find(SPACE, here.work.root_key).await.as_deref(), Some("matched"));
}

fn standing(stage: &str) -> ProgressFilter {
    let stage = stage.to_owned();
    ProgressFilter { namespace: SPACE.to_owned(), stage, reached_until_ms: i64::MAX, open: false, limit: 10 }
}

async fn list(bench: &Bench, filter: ProgressFilter) -> Vec<String> {
    let handoffs = bench.store.progress_list(filter).await.expect("the store works");
    handoffs.into_iter().map(|handoff| handoff.readable_key).collect()
}

pub(super) async fn progress_list_is_by_stage_and_the_longest_standing_first(bench: Bench) {
    for id in ["a", "b", "c"] {
        bench.finish(id, mark("matched")).await;
        bench.advance(1_000);
    }
    bench.finish("d", mark("received")).await;
    let key = |id: &str| format!("qualify:v1:{id}");
    assert_eq!(list(&bench, standing("matched")).await, ["a", "b", "c"].map(key));
    assert_eq!(list(&bench, standing("received")).await, [key("d")]);
    assert!(list(&bench, standing("owned")).await.is_empty());
    let early = ProgressFilter { reached_until_ms: START_MS + 1_000, ..standing("matched") };
    assert_eq!(list(&bench, early).await, ["a", "b"].map(key));
    assert_eq!(list(&bench, ProgressFilter { limit: 1, ..standing("matched") }).await, [key("a")]);
    let elsewhere = ProgressFilter { namespace: ELSEWHERE.to_owned(), ..standing("matched") };
    assert!(list(&bench, elsewhere).await.is_empty());
}

pub(super) async fn progress_list_names_the_first_work_and_knows_what_is_over(bench: Bench) {
    let first = bench.hold("a").await;
    let outcome = Outcome::Done {
        output: "7".to_owned(),
        needs_review: None,
        follow_up: Some(follow_up("a", "{}")),
        collected: mark("received"),
    };
    bench.settle(&first, outcome).await;
    bench.finish("b", mark("received")).await;
    let found = async || bench.store.progress_list(standing("received")).await.expect("the store works");
    let over = async || found().await.iter().map(|handoff| handoff.over).collect::<Vec<_>>();
    assert_eq!(found().await[0].work_id, first.work.work_id);
    assert_eq!(found().await[0].reached_ms, START_MS);
    assert_eq!(over().await, [false, false], "what is done may be taken on by people");
    let terms = crate::conformance::harness::TERMS;
    let next = bench.store.work_take(SPACE, "reply", terms).await.expect("the store works").map(held);
    bench.settle(&next.expect("due"), Outcome::Reject { cause: "spam".to_owned() }).await;
    assert_eq!(over().await, [true, false]);
    let open = ProgressFilter { open: true, limit: 1, ..standing("received") };
    assert_eq!(list(&bench, open).await, ["qualify:v1:b"]);
}

pub(super) async fn progress_counts_say_how_long_the_oldest_and_the_newest_stand(bench: Bench) {
    for (id, stage) in [("a", "matched"), ("b", "received"), ("c", "matched")] {
        bench.finish(id, mark(stage)).await;
        bench.advance(1_000);
    }
    let counts = bench.store.progress_counts(SPACE).await.expect("the store works");
    let count = |stage: &str, handoffs, oldest_ms, newest_ms| StageCount {
        stage: stage.to_owned(),
        handoffs,
        oldest_ms: START_MS + oldest_ms,
        newest_ms: START_MS + newest_ms,
    };
    assert_eq!(counts, [count("matched", 2, 0, 2_000), count("received", 1, 1_000, 1_000)]);
    assert!(bench.store.progress_counts(ELSEWHERE).await.expect("the store works").is_empty());
}

pub(super) async fn progress_find_of_a_step_forward_tells_it_elsewhere_once(bench: Bench) {
    let told = |stage: &str, payload: &str| {
        let mut collected = mark(stage);
        let mirror = NewRow { slot: format!("progress:{stage}"), ..row(stage, payload) };
        collected.mark = collected.mark.map(|mark| Mark { mirror: Some(Box::new(mirror)), ..mark });
        collected
    };
    let mut held = bench.hold("a").await;
    // The same stage again, and one that lies behind, are told nowhere, whatever their rows say.
    for (stage, payload) in [("matched", "1"), ("matched", "2"), ("received", "3"), ("owned", "4")] {
        let chunk = Outcome::Continue { cursor: payload.to_owned(), collected: told(stage, payload) };
        assert_eq!(bench.settle(&held, chunk).await, Settled::Applied);
        held = bench.take().await.expect("continued");
    }
    let rows: Vec<_> = bench.rows().await.into_iter().map(|row| (row.slot, row.payload)).collect();
    let expected = [("progress:matched", "1"), ("progress:owned", "4")];
    assert_eq!(rows, expected.map(|(slot, payload)| (slot.to_owned(), payload.to_owned())));
    // What does not commit tells nothing.
    let lost = Outcome::Retry { cause: "later".to_owned(), due_in_ms: 0 };
    bench.settle(&held, lost).await;
    assert_eq!(bench.rows().await.len(), 2);
}
