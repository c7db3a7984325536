//! Progress of a handoff: forward only.

use crate::conformance::harness::{Bench, ELSEWHERE, SPACE, arrival, done_with, held};
use onceward::store::work::{Arrival, Collected, Mark, Outcome, Settled};

fn mark(stage: &str, index: u32) -> Collected {
    Collected { mark: Some(Mark { stage: stage.to_owned(), index }), ..Collected::default() }
}

pub(super) async fn progress_find_goes_forward_only(bench: Bench) {
    let mut held = bench.hold("a").await;
    let root = held.work.root_key;
    let steps = [
        ("matched", 1, "matched"),
        ("received", 0, "matched"),
        ("replied", 3, "replied"),
        ("owned", 2, "replied"),
    ];
    for (stage, index, reached) in steps {
        let chunk = Outcome::Continue { cursor: "c".to_owned(), collected: mark(stage, index) };
        assert_eq!(bench.settle(&held, chunk).await, Settled::Applied);
        let found = bench.store.progress_find(SPACE, root).await.expect("the store works");
        assert_eq!(found.as_deref(), Some(reached), "after {stage}");
        held = bench.take().await.expect("continued");
    }
    let bench = bench.reopen().await;
    let found = bench.store.progress_find(SPACE, root).await.expect("the store works");
    assert_eq!(found.as_deref(), Some("replied"));
}

pub(super) async fn progress_find_shares_nothing_between_namespaces_and_roots(bench: Bench) {
    let here = bench.finish("a", mark("matched", 1)).await;
    let other = bench.hold("b").await;
    let find = async |namespace: &str, root| {
        bench.store.progress_find(namespace, root).await.expect("the store works")
    };
    assert_eq!(find(ELSEWHERE, here.work.root_key).await, None);
    assert_eq!(find(SPACE, other.work.root_key).await, None);
    let there = held(bench.claim(Arrival { namespace: ELSEWHERE.to_owned(), ..arrival("a") }).await);
    assert_eq!(bench.settle(&there, done_with(mark("received", 0))).await, Settled::Applied);
    assert_eq!(find(ELSEWHERE, here.work.root_key).await.as_deref(), Some("received"));
    assert_eq!(find(SPACE, here.work.root_key).await.as_deref(), Some("matched"));
}
