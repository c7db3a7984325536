//! Progress of a handoff: forward only.

use crate::conformance::harness::{Bench, ELSEWHERE, SPACE, arrival, done_with, held};
use onceward::store::claim::Arrival;
use onceward::store::work::{Collected, Mark, Outcome, Settled, WorkFilter};

/// The operator's list.
const STAGES: [&str; 4] = ["received", "matched", "owned", "replied"];

/// What a step collects that moves its handoff to a stage of this list.
fn mark_by(stages: &[&str], stage: &str) -> Collected {
    let kept = stages.iter().skip_while(|known| **known != stage).map(|known| (*known).to_owned()).collect();
    Collected { mark: Some(Mark { stage: stage.to_owned(), kept }), ..Collected::default() }
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
    WorkFilter { namespace: SPACE.to_owned(), state: None, step: None, limit: 10 }
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
