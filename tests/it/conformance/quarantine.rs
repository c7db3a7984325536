//! Kept events: other content under an identity that is on record.

use crate::conformance::harness::{
    Bench, ELSEWHERE, LEASE_MS, SPACE, arrival, at, candidate, done, held, other_content,
};
use onceward::identity::key::WorkId;
use onceward::store::claim::{Acquired, Arrival, Claim, Standing};
use onceward::store::operate::{Actor, Decided};
use onceward::store::quarantine::{
    OnMismatch, QuarantineDecision, QuarantineFilter, QuarantineState, Quarantined,
};
use onceward::store::work::{Settled, WorkRef, WorkState};

/// The event of this id with this content, kept for a person where it collides.
fn keeping(id: &str, content: &str) -> Arrival {
    let payload = format!("{{\"is\":\"{content}\"}}");
    let current = candidate(id, 1, content);
    Arrival { on_mismatch: OnMismatch::Quarantine, current, payload, ..arrival(id) }
}

async fn kept(bench: &Bench, namespace: &str) -> Vec<Quarantined> {
    let filter = QuarantineFilter { namespace: namespace.to_owned(), state: None, limit: 100 };
    bench.store.quarantine_list(filter).await.expect("the store works")
}

async fn waiting(bench: &Bench) -> u64 {
    bench.store.quarantine_count(SPACE).await.expect("the store works")
}

async fn decide(bench: &Bench, id: WorkId, decision: QuarantineDecision) -> Decided<QuarantineState> {
    let actor = Actor { name: "Noor".to_owned(), reason: "two people".to_owned(), action: None };
    bench.store.quarantine_decide(SPACE, id, decision, actor).await.expect("the store works")
}

/// A finished work of this id, and an event with other content that is kept.
async fn collision(bench: &Bench, id: &str) -> (Box<Acquired>, WorkId) {
    let first = bench.finish(id, Default::default()).await;
    let Standing::Quarantined { id } = bench.standing(keeping(id, "second")).await else {
        panic!("it is not kept")
    };
    (first, id)
}

pub(super) async fn quarantine_list_holds_a_colliding_event_once_and_the_first_content_stands(bench: Bench) {
    let (first, id) = collision(&bench, "a").await;
    // The same again is the same, also where its sender would have been refused.
    for again in [keeping("a", "second"), other_content("a")] {
        assert_eq!(bench.standing(again).await, Standing::Quarantined { id });
    }
    let Standing::Quarantined { id: third } = bench.standing(keeping("a", "third")).await else {
        panic!("it is not kept")
    };
    assert_ne!(id, third);
    let all = kept(&bench, SPACE).await;
    let [newest, oldest] = &all[..] else { panic!("{all:?}") };
    assert_eq!((newest.work_id, oldest.work_id), (third, id));
    assert_eq!((oldest.repeats, oldest.payload.as_str()), (2, r#"{"is":"second"}"#));
    assert_eq!((oldest.state, oldest.collides_with), (QuarantineState::Waiting, first.work.root_key));
    assert_eq!(bench.show(at(&first.work)).await.payload, r#"{"is":"first"}"#);
    assert!(matches!(bench.standing(keeping("a", "first")).await, Standing::Done(_)));
    let kinds = bench.kinds(at(&first.work)).await;
    assert_eq!(kinds.iter().filter(|kind| *kind == "quarantined").count(), 2, "{kinds:?}");
    assert!(bench.take().await.is_none(), "nothing runs before a person has decided");
}

pub(super) async fn quarantine_list_is_filtered_and_shares_nothing_between_namespaces(bench: Bench) {
    let (_, id) = collision(&bench, "a").await;
    collision(&bench, "b").await;
    decide(&bench, id, QuarantineDecision::Drop).await;
    let filter = |state, limit| QuarantineFilter { namespace: SPACE.to_owned(), state: Some(state), limit };
    for (state, limit, expected) in
        [(QuarantineState::Waiting, 9, 1), (QuarantineState::Dropped, 9, 1), (QuarantineState::Waiting, 0, 0)]
    {
        let listed = bench.store.quarantine_list(filter(state, limit)).await.expect("the store works");
        assert_eq!(listed.len(), expected, "{state:?}");
    }
    assert!(kept(&bench, ELSEWHERE).await.is_empty());
    let there = Arrival { namespace: ELSEWHERE.to_owned(), ..keeping("a", "second") };
    assert!(matches!(bench.claim(there).await, Claim::Acquired(_)));
}

pub(super) async fn quarantine_resolve_takes_the_beginning_of_an_id(bench: Bench) {
    let (_, id) = collision(&bench, "a").await;
    for (space, text, expected) in
        [(SPACE, &id.to_string()[..9], 1), (ELSEWHERE, &id.to_string()[..9], 0), (SPACE, "no id", 0)]
    {
        let found = bench.store.quarantine_resolve(space, text).await.expect("the store works");
        assert_eq!(found.len(), expected, "{text}");
    }
}

pub(super) async fn quarantine_count_is_of_those_that_wait(bench: Bench) {
    assert_eq!(waiting(&bench).await, 0);
    let (_, first) = collision(&bench, "a").await;
    let (_, second) = collision(&bench, "b").await;
    bench.standing(keeping("b", "second")).await;
    assert_eq!(waiting(&bench).await, 2);
    decide(&bench, first, QuarantineDecision::Admit).await;
    assert_eq!(waiting(&bench).await, 1);
    decide(&bench, second, QuarantineDecision::Drop).await;
    assert_eq!(waiting(&bench).await, 0);
}

pub(super) async fn quarantine_decide_admits_an_event_as_work_of_its_own(bench: Bench) {
    let (first, id) = collision(&bench, "a").await;
    assert_eq!(decide(&bench, id, QuarantineDecision::Admit).await, Decided::Applied);
    let again = decide(&bench, id, QuarantineDecision::Drop).await;
    assert_eq!(again, Decided::Refused(QuarantineState::Admitted), "a second click changes nothing");
    let own = bench.take().await.expect("it is due");
    assert_eq!((own.work.work_id, own.work.payload.as_str()), (id, r#"{"is":"second"}"#));
    assert_ne!(own.work.root_key, first.work.root_key, "its effects are its own");
    // A repeat of either is that work, and no mismatch.
    let Claim::Answered(answered) = bench.claim(keeping("a", "second")).await else {
        panic!("it runs twice")
    };
    assert_eq!(answered.work.id, id);
    assert!(matches!(answered.standing, Standing::InProgress { .. }), "{answered:?}");
    assert_eq!(bench.settle(&own, done()).await, Settled::Applied);
    assert!(matches!(bench.standing(other_content("a")).await, Standing::Done(_)));
    assert!(matches!(bench.standing(arrival("a")).await, Standing::Done(_)));
    let kinds = bench.kinds(at(&first.work)).await;
    assert_eq!(kinds.last().map(String::as_str), Some("decided-by"), "{kinds:?}");
}

pub(super) async fn quarantine_decide_drops_an_event_and_keeps_the_record(bench: Bench) {
    let (_, id) = collision(&bench, "a").await;
    assert_eq!(decide(&bench, id, QuarantineDecision::Drop).await, Decided::Applied);
    for repeat in [keeping("a", "second"), other_content("a")] {
        assert_eq!(bench.standing(repeat).await, Standing::Dropped { id });
    }
    bench.advance(LEASE_MS);
    assert!(bench.take().await.is_none());
    let kept = kept(&bench, SPACE).await;
    assert_eq!((kept.len(), kept[0].repeats), (1, 2));
    assert_eq!(kept[0].decided_by.as_deref(), Some("Noor says: two people"));
    let unknown = decide(&bench, WorkId::from_bytes([7; 32]), QuarantineDecision::Admit).await;
    assert_eq!(unknown, Decided::Unknown);
}

pub(super) async fn quarantine_decide_of_an_event_that_came_under_an_earlier_version_is_found_again(
    bench: Bench,
) {
    let (_, id) = collision(&bench, "a").await;
    decide(&bench, id, QuarantineDecision::Admit).await;
    let own = bench.take().await.expect("it is due");
    // The version has been raised; the same event comes again.
    let raised = Arrival {
        current: candidate("a", 2, "declared otherwise"),
        earlier: vec![candidate("a", 1, "second")],
        ..arrival("a")
    };
    let Claim::Answered(answered) = bench.claim(raised).await else { panic!("it became new") };
    assert_eq!(answered.work.id, id);
    let work = WorkRef { namespace: SPACE.to_owned(), id: own.work.work_id };
    assert_eq!(bench.show(work).await.state, WorkState::Running);
    let repeat = held(bench.claim(keeping("b", "second")).await);
    assert_eq!(repeat.work.attempt, 1, "an id of its own is not concerned");
}
