//! What people say about decisions: a plan is read, approved or stopped before anything is applied.

use crate::conformance::decision::{answer, find, pin, record};
use crate::conformance::harness::{Bench, ELSEWHERE, LEASE_MS, SPACE, at, done, done_with, retry, rows};
use onceward::identity::key::WorkId;
use onceward::store::claim::Acquired;
use onceward::store::decided::{DecisionEntry, DecisionFilter};
use onceward::store::decision::{DecisionQuery, Found, Lookup, Pin, Pinned, PinnedAnswer, answer_hash};
use onceward::store::operate::Actor;
use onceward::store::retention::Cursor;
use onceward::store::slot::{Seen, SlotApproval, SlotDecided, SlotDecision, SlotRef};
use onceward::store::work::{Collected, Outcome, Settled, WorkRef, WorkState};

const APPROVE: SlotDecision = SlotDecision::Approve(Seen { revision: None, answer: None });
const REJECT: SlotDecision = SlotDecision::Reject(Seen { revision: None, answer: None });
const RENEW: SlotDecision = SlotDecision::Renew(Seen { revision: None, answer: None });

/// How long the requests of these tests can be approved, in milliseconds.
const EXPIRES_MS: i64 = 10_000;

fn hold(by_rule: Option<&str>) -> Outcome {
    Outcome::Hold {
        slot: "s".to_owned(),
        by_rule: by_rule.map(str::to_owned),
        expires_in_ms: Some(EXPIRES_MS),
        cause: "decision \"s\" waits for approval".to_owned(),
    }
}

/// A work that is held for the answer `1` to the question `q`.
async fn held(bench: &Bench, id: &str) -> Box<Acquired> {
    let held = bench.hold(id).await;
    record(bench, &held, "s", "q", "1").await;
    assert_eq!(bench.settle(&held, hold(None)).await, Settled::Applied);
    held
}

async fn decide(bench: &Bench, work: WorkRef, decision: SlotDecision) -> SlotDecided {
    let actor = Actor { name: "Noor".to_owned(), reason: "read it".to_owned(), action: None };
    let slot = SlotRef { work, slot: "s".to_owned() };
    bench.store.decision_decide(slot, decision, actor).await.expect("the store works")
}

fn applied(work: WorkState) -> SlotDecided {
    SlotDecided::Applied { work }
}

async fn approval(bench: &Bench, work: WorkRef) -> SlotApproval {
    match find(bench, work, "s", None).await {
        Some(Found::Pinned(PinnedAnswer { approval, .. })) => approval,
        other => panic!("not pinned: {other:?}"),
    }
}

async fn waiting(bench: &Bench) -> Vec<DecisionEntry> {
    let namespace = SPACE.to_owned();
    let filter = DecisionFilter { namespace, work: None, slot: None, waiting: true, limit: 100 };
    bench.store.decision_list(filter).await.expect("the store works")
}

pub(super) async fn work_settle_hold_asks_a_person_and_keeps_the_answer(bench: Bench) {
    let run = held(&bench, "a").await;
    let work = bench.show(at(&run.work)).await;
    assert_eq!(
        (work.state, work.cause.as_deref()),
        (WorkState::Review, Some("decision \"s\" waits for approval"))
    );
    let expires_ms = Some(work.updated_ms + EXPIRES_MS);
    assert_eq!(approval(&bench, at(&work)).await, SlotApproval::Waiting { expires_ms });
    let listed = waiting(&bench).await;
    let decided = listed[0].decided.as_ref().expect("it is decided");
    assert_eq!((listed.len(), decided.answer_hash), (1, answer_hash("1")));
    let evidence = bench.store.evidence_list(at(&work)).await.expect("the store works");
    let line = evidence.iter().find(|line| line.kind == "held").expect("it is evident");
    assert!(line.detail.contains(&answer_hash("1").to_string()), "{}", line.detail);
    assert!(bench.take().await.is_none(), "nothing runs until a person has said something");
}

pub(super) async fn work_settle_hold_pins_an_answer_by_rule(bench: Bench) {
    let run = bench.hold("a").await;
    assert_eq!(bench.settle(&run, hold(Some("\"rule\""))).await, Settled::Applied);
    assert_eq!(decide(&bench, at(&run.work), APPROVE).await, applied(WorkState::Waiting));
    let Some(Found::Pinned(pinned)) = find(&bench, at(&run.work), "s", None).await else { panic!() };
    assert_eq!(pinned.answer, "\"rule\"");
    assert!(matches!(pinned.approval, SlotApproval::Approved { .. }));
}

pub(super) async fn work_settle_hold_after_the_persons_word_waits_for_nobody(bench: Bench) {
    let first = held(&bench, "a").await;
    let actor = Actor { name: "Noor".to_owned(), reason: "again".to_owned(), action: None };
    let replay = onceward::store::operate::WorkDecision::Replay { due_in_ms: 0 };
    bench.store.work_decide(at(&first.work), replay, actor).await.expect("the store works");
    // A run has read that the answer waits; the person approves before the run settles.
    let second = bench.hold("a").await;
    assert_eq!(decide(&bench, at(&second.work), APPROVE).await, applied(WorkState::Running));
    assert_eq!(bench.settle(&second, hold(None)).await, Settled::Applied);
    assert_eq!(bench.show(at(&second.work)).await.state, WorkState::Waiting);
    assert!(bench.take().await.is_some(), "it is due");
}

pub(super) async fn decision_decide_approve_twice_is_one_approval(bench: Bench) {
    let run = held(&bench, "a").await;
    assert_eq!(decide(&bench, at(&run.work), APPROVE).await, applied(WorkState::Waiting));
    let next = bench.take().await.expect("it is due");
    assert_eq!(next.work.attempt, 1, "with a fresh budget");
    assert_eq!(decide(&bench, at(&run.work), APPROVE).await, SlotDecided::Already);
    assert_eq!(bench.show(at(&run.work)).await.state, WorkState::Running);
    let SlotApproval::Approved { by, .. } = approval(&bench, at(&run.work)).await else { panic!() };
    assert_eq!(by, "Noor");
    let SlotDecided::Contrary(SlotApproval::Approved { .. }) = decide(&bench, at(&run.work), REJECT).await
    else {
        panic!("an approval stands")
    };
    let kinds = bench.kinds(at(&run.work)).await;
    assert_eq!(kinds.iter().filter(|kind| *kind == "approved").count(), 1, "{kinds:?}");
    assert!(waiting(&bench).await.is_empty());
}

pub(super) async fn decision_decide_approve_binds_revision_and_answer(bench: Bench) {
    let run = held(&bench, "a").await;
    let seen = |revision, text: &str| {
        SlotDecision::Approve(Seen { revision: Some(revision), answer: Some(answer_hash(text)) })
    };
    let now = SlotDecided::Changed { revision: 1, answer: answer_hash("1") };
    assert_eq!(decide(&bench, at(&run.work), seen(2, "1")).await, now);
    assert_eq!(decide(&bench, at(&run.work), seen(1, "2")).await, now);
    assert!(matches!(approval(&bench, at(&run.work)).await, SlotApproval::Waiting { .. }));
    assert_eq!(decide(&bench, at(&run.work), seen(1, "1")).await, applied(WorkState::Waiting));
}

pub(super) async fn decision_decide_approve_after_its_time_is_refused(bench: Bench) {
    let (on_time, late) = (held(&bench, "a").await, held(&bench, "b").await);
    bench.advance(EXPIRES_MS);
    assert_eq!(decide(&bench, at(&on_time.work), APPROVE).await, applied(WorkState::Waiting));
    bench.advance(1);
    assert!(matches!(decide(&bench, at(&late.work), APPROVE).await, SlotDecided::Expired(_)));
    assert_eq!(bench.show(at(&late.work)).await.state, WorkState::Review);
    assert_eq!(decide(&bench, at(&late.work), REJECT).await, applied(WorkState::Waiting));
}

pub(super) async fn decision_decide_reject_stays_until_it_is_renewed(bench: Bench) {
    let run = held(&bench, "a").await;
    assert_eq!(decide(&bench, at(&run.work), REJECT).await, applied(WorkState::Waiting));
    assert_eq!(decide(&bench, at(&run.work), REJECT).await, SlotDecided::Already);
    assert!(matches!(decide(&bench, at(&run.work), APPROVE).await, SlotDecided::Contrary(_)));
    let SlotApproval::Rejected { reason, .. } = approval(&bench, at(&run.work)).await else { panic!() };
    assert_eq!(reason, "Noor says: read it");
    assert_eq!(decide(&bench, at(&run.work), RENEW).await, applied(WorkState::Waiting));
    assert_eq!(find(&bench, at(&run.work), "s", None).await, None);
}

pub(super) async fn decision_decide_renew_asks_anew_past_the_cache(bench: Bench) {
    let run = held(&bench, "a").await;
    assert_eq!(decide(&bench, at(&run.work), RENEW).await, applied(WorkState::Waiting));
    assert_eq!(decide(&bench, at(&run.work), RENEW).await, SlotDecided::Already);
    let next = bench.take().await.expect("it is due");
    let lookup = async |work: WorkRef| {
        let cache_key = Some(crate::conformance::decision::key("q"));
        let query = DecisionQuery { work, slot: "s".to_owned(), cache_key };
        bench.store.decision_find(query).await.expect("the store works")
    };
    assert_eq!(lookup(at(&next.work)).await, Lookup { revision: 2, found: None });
    // A late answer to the old question fills nothing.
    let renewed = Pin { revision: 2, ..pin(&next, "s", "q") };
    let stored = bench.store.decision_record(answer("2"), renewed.clone()).await.expect("the store works");
    assert_eq!(stored.pinned, Pinned::Answer("2".to_owned()));
    let pinned = Found::Pinned(PinnedAnswer { answer: "2".to_owned(), approval: SlotApproval::NotAsked });
    assert_eq!(lookup(at(&next.work)).await, Lookup { revision: 2, found: Some(pinned) });
    // Everybody else keeps the first answer.
    let other = bench.hold("b").await;
    assert_eq!(find(&bench, at(&other.work), "s", Some("q")).await, Some(Found::Cached("1".to_owned())));
    // And it may be held and renewed again.
    bench.settle(&next, hold(None)).await;
    let seen = SlotDecision::Renew(Seen { revision: Some(1), answer: None });
    assert!(matches!(decide(&bench, at(&next.work), seen).await, SlotDecided::Changed { revision: 2, .. }));
    assert_eq!(decide(&bench, at(&next.work), RENEW).await, applied(WorkState::Waiting));
    assert_eq!(lookup(at(&next.work)).await, Lookup { revision: 3, found: None });
}

pub(super) async fn decision_decide_renew_keeps_the_former_answer_as_long_as_the_work(bench: Bench) {
    let run = held(&bench, "a").await;
    assert_eq!(decide(&bench, at(&run.work), RENEW).await, applied(WorkState::Waiting));
    bench.advance(LEASE_MS);
    let pass = bench.store.decision_expire(SPACE, 0, Cursor::START, 10).await.expect("the store works");
    assert_eq!(pass.forgotten, 0, "it is erased with the work's own");
    // Nor does anything else come to stand where it stood.
    let next = bench.take().await.expect("it is due");
    let renewed = Pin { revision: 2, ..pin(&next, "s", "q") };
    bench.store.decision_record(answer("2"), renewed).await.expect("the store works");
    let other = bench.hold("b").await;
    assert_eq!(find(&bench, at(&other.work), "s", Some("q")).await, Some(Found::Cached("1".to_owned())));
}

pub(super) async fn decision_decide_renew_is_refused_once_effects_are_committed(bench: Bench) {
    let outcome = |cursor: &str, collected| Outcome::Continue { cursor: cursor.to_owned(), collected };
    for (id, end) in
        [("done", done()), ("chunk", outcome("1", Collected::default())), ("rows", done_with(rows(&["r"])))]
    {
        let run = bench.hold(id).await;
        record(&bench, &run, "s", id, "1").await;
        bench.settle(&run, end).await;
        assert_eq!(decide(&bench, at(&run.work), RENEW).await, SlotDecided::Committed, "{id}");
    }
    // What failed has committed nothing; what runs may be acting on its answer.
    let run = bench.hold("fails").await;
    record(&bench, &run, "s", "fails", "1").await;
    assert_eq!(decide(&bench, at(&run.work), RENEW).await, SlotDecided::Refused(WorkState::Running));
    bench.settle(&run, Outcome::Dead { cause: "used up".to_owned() }).await;
    assert_eq!(decide(&bench, at(&run.work), RENEW).await, applied(WorkState::Waiting));
    let run = bench.hold("waits").await;
    record(&bench, &run, "s", "waits", "1").await;
    bench.settle(&run, retry(60_000)).await;
    assert_eq!(decide(&bench, at(&run.work), RENEW).await, applied(WorkState::Waiting));
}

pub(super) async fn decision_decide_of_what_nobody_asked_for_is_refused(bench: Bench) {
    let run = bench.hold("a").await;
    assert_eq!(decide(&bench, at(&run.work), APPROVE).await, SlotDecided::Unknown, "no answer in the slot");
    record(&bench, &run, "s", "q", "1").await;
    bench.settle(&run, Outcome::Review { cause: "unsure".to_owned() }).await;
    for word in [APPROVE, REJECT] {
        assert_eq!(decide(&bench, at(&run.work), word).await, SlotDecided::NotAsked);
    }
    let elsewhere = WorkRef { namespace: ELSEWHERE.to_owned(), id: run.work.work_id };
    let nothing = WorkRef { namespace: SPACE.to_owned(), id: WorkId::from_bytes([7; 32]) };
    for unknown in [elsewhere, nothing] {
        assert_eq!(decide(&bench, unknown, APPROVE).await, SlotDecided::Unknown);
    }
    assert_eq!(bench.show(at(&run.work)).await.state, WorkState::Review);
}

pub(super) async fn decision_decide_leaves_ended_work_alone(bench: Bench) {
    use onceward::store::operate::WorkDecision::{Cancel, Reject};
    for (id, end, state) in [("r", Reject, WorkState::Rejected), ("c", Cancel, WorkState::Cancelled)] {
        let run = held(&bench, id).await;
        let actor = Actor { name: "Noor".to_owned(), reason: "spam".to_owned(), action: None };
        bench.store.work_decide(at(&run.work), end, actor).await.expect("the store works");
        for word in [APPROVE, REJECT, RENEW] {
            assert_eq!(decide(&bench, at(&run.work), word).await, SlotDecided::Refused(state));
        }
    }
}
