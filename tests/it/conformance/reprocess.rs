//! Old events under a raised version.

use crate::conformance::harness::{
    Bench, ELSEWHERE, SPACE, STEP, arrival, at, candidate, done, done_with, follow_up, held, retry, rows,
};
use onceward::identity::key::WorkId;
use onceward::identity::work_id::reprocessed_id;
use onceward::store::claim::{Acquired, Arrival, Claim};
use onceward::store::operate::{Actor, WorkDecision};
use onceward::store::reprocess::{Reprocess, Reprocessed};
use onceward::store::work::{Collected, Holder, Outcome, Settled, WorkRecord, WorkRef, WorkState};

fn actor() -> Actor {
    Actor { name: "Noor".to_owned(), reason: "the new scores".to_owned(), action: None }
}

/// The id of this work under a version.
fn id_under(work: &WorkRecord, version: u32) -> WorkId {
    reprocessed_id(SPACE, &work.root_key, &work.step, version)
}

async fn reprocess(bench: &Bench, work: &WorkRecord, version: u32) -> Reprocessed {
    let asked = Reprocess {
        work: at(work),
        version,
        work_id: id_under(work, version),
        readable_key: format!("{STEP}:v{version}:a"),
        content_hash: candidate("", version, "first").content_hash,
    };
    bench.store.work_reprocess(asked, actor()).await.expect("the store works")
}

pub(super) async fn work_reprocess_is_new_work_beside_the_old_with_the_same_root(bench: Bench) {
    let old = bench.finish("a", rows(&["r"])).await;
    let id = id_under(&old.work, 2);
    assert_eq!(reprocess(&bench, &old.work, 2).await, Reprocessed::Applied { id });
    let new = bench.take().await.expect("it is due");
    assert_eq!((new.work.work_id, new.work.root_key), (id, old.work.root_key));
    assert_eq!((new.work.version, new.work.root_version, new.work.attempt), (2, 2, 1));
    assert_eq!((&new.work.payload, new.work.occurred_at_ms), (&old.work.payload, old.work.occurred_at_ms));
    // The same row again is the same row.
    assert_eq!(bench.settle(&new, done_with(rows(&["r"]))).await, Settled::Applied);
    assert_eq!(bench.rows().await.len(), 1);
    assert_eq!(bench.show(at(&old.work)).await.state, WorkState::Done);
    // A redelivery finds the new work, under the new version and under the old one.
    let under_both = Arrival {
        current: candidate("a", 2, "first"),
        earlier: vec![candidate("a", 1, "first")],
        ..arrival("a")
    };
    for redelivery in [under_both, Arrival { current: candidate("a", 1, "first"), ..arrival("a") }] {
        let Claim::Answered(answered) = bench.claim(redelivery).await else { panic!("it became new") };
        assert_eq!(answered.work.id, id);
    }
    for work in [&old.work, &new.work] {
        let evidence = bench.store.evidence_list(at(work)).await.expect("the store works");
        assert!(
            evidence.iter().any(|line| line.detail.contains("Noor says: the new scores")),
            "{evidence:?}"
        );
    }
}

pub(super) async fn work_reprocess_happens_once_a_version(bench: Bench) {
    let old = bench.finish("a", Collected::default()).await;
    assert_eq!(reprocess(&bench, &old.work, 1).await, Reprocessed::NotRaised { version: 1 });
    let second = id_under(&old.work, 2);
    assert_eq!(reprocess(&bench, &old.work, 2).await, Reprocessed::Applied { id: second });
    assert_eq!(reprocess(&bench, &old.work, 2).await, Reprocessed::Already { id: second });
    let held = bench.take().await.expect("it is due");
    bench.settle(&held, done()).await;
    assert_eq!(reprocess(&bench, &held.work, 2).await, Reprocessed::NotRaised { version: 2 });
    let third = id_under(&old.work, 3);
    assert_eq!(reprocess(&bench, &old.work, 3).await, Reprocessed::Applied { id: third });
    for work in [&old.work, &held.work] {
        assert_eq!(reprocess(&bench, work, 3).await, Reprocessed::Already { id: third });
        assert_eq!(
            reprocess(&bench, work, 2).await,
            Reprocessed::Already { id: third },
            "an older step is back"
        );
    }
}

pub(super) async fn work_reprocess_waits_for_the_end_of_the_old_work(bench: Bench) {
    let held = bench.hold("a").await;
    let stands = |id, state| Reprocessed::Unfinished { id, state };
    let running = stands(held.work.work_id, WorkState::Running);
    assert_eq!(reprocess(&bench, &held.work, 2).await, running);
    bench.settle(&held, retry(0)).await;
    let waiting = stands(held.work.work_id, WorkState::Waiting);
    assert_eq!(reprocess(&bench, &held.work, 2).await, waiting);
    let again = bench.take().await.expect("it is due");
    let next = follow_up("next", "{}");
    let outcome = Outcome::Done {
        output: "7".to_owned(),
        needs_review: None,
        follow_up: Some(next.clone()),
        collected: Collected::default(),
    };
    bench.settle(&again, outcome).await;
    // What descends from it counts as well.
    let follows = stands(next.work_id, WorkState::Waiting);
    assert_eq!(reprocess(&bench, &held.work, 2).await, follows);
    let work = WorkRef { namespace: SPACE.to_owned(), id: next.work_id };
    bench.store.work_decide(work, WorkDecision::Cancel, actor()).await.expect("the store works");
    assert!(matches!(reprocess(&bench, &held.work, 2).await, Reprocessed::Applied { .. }));
}

pub(super) async fn work_reprocess_of_an_erased_event_has_nothing_to_run(bench: Bench) {
    let old = bench.finish("a", Collected::default()).await;
    bench.store.payload_erase(at(&old.work), actor()).await.expect("the store works");
    assert_eq!(reprocess(&bench, &old.work, 2).await, Reprocessed::Erased);
    assert!(bench.take().await.is_none());
}

pub(super) async fn work_reprocess_is_for_events(bench: Bench) {
    let called = Arrival { holder: Holder::Caller, ..arrival("called") };
    let called: Box<Acquired> = held(bench.claim(called).await);
    bench.settle(&called, done()).await;
    assert_eq!(reprocess(&bench, &called.work, 2).await, Reprocessed::NoEvent);
    let first = bench.hold("a").await;
    let next = follow_up("next", "{}");
    let outcome = Outcome::Done {
        output: "7".to_owned(),
        needs_review: None,
        follow_up: Some(next.clone()),
        collected: Collected::default(),
    };
    bench.settle(&first, outcome).await;
    let follows = bench.show(WorkRef { namespace: SPACE.to_owned(), id: next.work_id }).await;
    assert_eq!(reprocess(&bench, &follows, 2).await, Reprocessed::NoEvent);
    let elsewhere = WorkRecord { namespace: ELSEWHERE.to_owned(), ..first.work.clone() };
    assert_eq!(reprocess(&bench, &elsewhere, 2).await, Reprocessed::Unknown);
}
