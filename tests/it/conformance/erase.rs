//! Erasing payloads on request: what goes, what stays, and what a repeat is told.

use crate::conformance::decision;
use crate::conformance::harness::{
    Bench, CRM, ELSEWHERE, SPACE, UNWELL, arrival, at, candidate, done, done_with, follow_up, held,
    other_content, retry, row, rows, take,
};
use onceward::contract::response::Response;
use onceward::contract::sameness::SameText;
use onceward::store::claim::{Acquired, Arrival, Repeat, Standing};
use onceward::store::decision::{Found, Pin};
use onceward::store::operate::{Actor, RowDecision, WorkDecision};
use onceward::store::outbox::{NewRow, RowOutcome, RowState};
use onceward::store::quarantine::{OnMismatch, QuarantineDecision, QuarantineFilter};
use onceward::store::retention::{ERASED, Erased, Erasure};
use onceward::store::slot::{Seen, SlotDecided, SlotDecision, SlotRef};
use onceward::store::work::{Collected, Outcome, WorkRef, WorkState};
use support::sim_clock::START_MS;

/// What all works ask.
const QUESTION: &str = "q";

fn actor() -> Actor {
    Actor { name: "Noor".to_owned(), reason: "the customer asks for it".to_owned(), action: None }
}

async fn erase(bench: &Bench, work: WorkRef) -> Erasure {
    bench.store.payload_erase(work, actor()).await.expect("the store works")
}

fn erased(works: u64, rows: u64, answers: u64) -> Erasure {
    Erasure::Applied(Erased { works, rows, answers, events: 0 })
}

async fn send_all(bench: &Bench) {
    for sending in bench.take_rows(take()).await {
        let sent = RowOutcome::Sent {
            receipt: r#"{"for":"Ada"}"#.to_owned(),
            truncated: false,
            external_reference: Some("deal-1".to_owned()),
            flag: None,
        };
        bench.store.outbox_settle(sending.row, sending.token, sent).await.expect("the store works");
    }
}

async fn ask(bench: &Bench, held: &Acquired, answer: &str) -> String {
    decision::record(bench, held, "s", QUESTION, answer).await.answer
}

async fn answer_of(bench: &Bench, work: WorkRef, question: Option<&str>) -> Option<Found> {
    decision::find(bench, work, "s", question).await
}

pub(super) async fn payload_erase_takes_the_payloads_of_the_family_and_leaves_its_identity(bench: Bench) {
    let first = bench.hold("a").await;
    ask(&bench, &first, r#""to Ada""#).await;
    let collected = Collected { rows: vec![row("r", r#"{"for":"Ada"}"#)], ..Collected::default() };
    let outcome = Outcome::Done {
        output: r#"{"name":"Ada"}"#.to_owned(),
        needs_review: Some("unsure".to_owned()),
        follow_up: Some(follow_up("a", r#"{"name":"Ada"}"#)),
        collected,
    };
    bench.settle_with(&first, outcome, &["a note"]).await;
    let next = bench.store.work_take(SPACE, "reply", crate::conformance::harness::TERMS).await;
    let next = held(next.expect("the store works").expect("due"));
    bench.settle(&next, done()).await;
    send_all(&bench).await;
    bench.advance(1_000);
    let before = bench.show(at(&first.work)).await;
    // Any work of the family names it.
    assert_eq!(erase(&bench, at(&next.work)).await, erased(2, 1, 1));

    for work in bench.store.work_family(SPACE, first.work.root_key).await.expect("the store works") {
        assert_eq!((work.payload.as_str(), work.output.as_deref()), (ERASED, Some(ERASED)));
        assert_eq!((work.state, work.erased_ms), (WorkState::Done, Some(START_MS + 1_000)));
        let kinds = bench.kinds(at(&work)).await;
        assert_eq!(kinds.last().map(String::as_str), Some("erased"), "{kinds:?}");
    }
    let after = bench.show(at(&first.work)).await;
    assert_eq!(
        (after.readable_key, after.event_id, after.updated_ms),
        (before.readable_key, before.event_id, before.updated_ms)
    );
    let row = bench.row("r").await;
    assert_eq!((row.payload.as_str(), row.receipt.as_deref()), (ERASED, Some(ERASED)));
    assert_eq!((row.state, row.external_reference.as_deref()), (RowState::Sent, Some("deal-1")));
    let hash = bench.store.outbox_find(SPACE, row.row_id).await.expect("the store works");
    let frozen = crate::conformance::harness::row("r", r#"{"for":"Ada"}"#).payload_hash;
    assert_eq!(hash.map(|found| found.payload_hash), Some(frozen));
    assert_eq!(answer_of(&bench, at(&first.work), Some(QUESTION)).await, None);

    let bench = bench.reopen().await;
    assert_eq!(bench.standing(arrival("a")).await, Standing::Done(Repeat::Erased));
    for (response, repeat) in
        [(Response::Acknowledgement, Repeat::Acknowledgement), (Response::Error, Repeat::Error)]
    {
        let repeated = bench.standing(Arrival { response, ..arrival("a") }).await;
        assert_eq!(repeated, Standing::Done(repeat), "{response:?} tells no more than before");
    }
    assert!(matches!(bench.standing(other_content("a")).await, Standing::Mismatch { .. }));
    assert_eq!(erase(&bench, at(&first.work)).await, erased(0, 0, 0), "twice is once");
    let kinds = bench.kinds(at(&first.work)).await;
    assert_eq!(kinds.iter().filter(|kind| *kind == "erased").count(), 1);
}

pub(super) async fn payload_erase_leaves_the_evidence_as_it_was_told(bench: Bench) {
    let held = bench.hold("a").await;
    bench.settle_with(&held, done_with(rows(&["r"])), &["Ada asks for a price"]).await;
    let sending = bench.take_row().await;
    let cause = "503: Ada is known here".to_owned();
    let again = RowOutcome::Again { cause, due_in_ms: 0, maybe_applied: true, health: UNWELL };
    bench.store.outbox_settle(sending.row, sending.token, again).await.expect("the store works");
    send_all(&bench).await;
    assert_eq!(erase(&bench, at(&held.work)).await, erased(1, 1, 0));
    let evidence = bench.store.evidence_list(at(&held.work)).await.expect("the store works");
    for words in ["Ada asks for a price", "503: Ada is known here"] {
        assert!(evidence.iter().any(|line| line.detail.contains(words)), "{words}: {evidence:#?}");
    }
}

pub(super) async fn payload_erase_is_refused_while_anything_of_the_family_is_open(bench: Bench) {
    for (id, outcome, state) in [
        ("waiting", retry(0), WorkState::Waiting),
        ("review", Outcome::Review { cause: "unsure".to_owned() }, WorkState::Review),
        ("dead", Outcome::Dead { cause: "used up".to_owned() }, WorkState::Dead),
    ] {
        let held = bench.hold(id).await;
        let running = Erasure::OpenWork { work: held.work.work_id, state: WorkState::Running };
        assert_eq!(erase(&bench, at(&held.work)).await, running);
        bench.settle(&held, outcome).await;
        assert_eq!(erase(&bench, at(&held.work)).await, Erasure::OpenWork { work: held.work.work_id, state });
        let unchanged = bench.show(at(&held.work)).await;
        assert_eq!((unchanged.payload.as_str(), unchanged.erased_ms), (r#"{"is":"first"}"#, None));
    }
    let finished = bench.finish("rows", rows(&["p"])).await;
    let open = |state| Erasure::OpenRow { row: crate::conformance::harness::row_id("p"), state };
    assert_eq!(erase(&bench, at(&finished.work)).await, open(RowState::Pending));
    let sending = bench.take_row().await;
    assert_eq!(erase(&bench, at(&finished.work)).await, open(RowState::Sending));
    let doubt = RowOutcome::InDoubt { cause: "reply lost".to_owned(), health: UNWELL };
    bench.store.outbox_settle(sending.row.clone(), sending.token, doubt).await.expect("the store works");
    assert_eq!(erase(&bench, at(&finished.work)).await, open(RowState::InDoubt));
    assert_eq!(bench.row("p").await.payload, "{}");
    // What a person has ended holds no longer.
    bench.store.outbox_decide(sending.row, RowDecision::Cancel, actor()).await.expect("the store works");
    assert_eq!(erase(&bench, at(&finished.work)).await, erased(1, 1, 0));
    assert_eq!(bench.row("p").await.receipt, None);
    let dead = at(&bench.store.work_list(dead()).await.expect("the store works")[0]);
    bench.store.work_decide(dead.clone(), WorkDecision::Reject, actor()).await.expect("the store works");
    assert_eq!(erase(&bench, dead).await, erased(1, 0, 0));
    assert!(matches!(bench.standing(arrival("dead")).await, Standing::Rejected { .. }));
    assert_eq!(bench.store.outbox_next_due(SPACE, CRM).await.expect("the store works"), None);
}

fn dead() -> onceward::store::work::WorkFilter {
    let state = Some(WorkState::Dead);
    onceward::store::work::WorkFilter {
        namespace: SPACE.to_owned(),
        state,
        step: None,
        before: None,
        limit: 1,
    }
}

pub(super) async fn payload_erase_is_refused_while_a_suppressed_row_may_take_its_turn(bench: Bench) {
    let message = |id: &str| {
        let same = Some(SameText { key: [7; 32], within_ms: 60_000 });
        Collected { rows: vec![NewRow { same, ..row(id, "{}") }], ..Collected::default() }
    };
    bench.finish("a", message("first")).await;
    let suppressed = bench.finish("b", message("second")).await;
    assert_eq!(bench.row("second").await.state, RowState::Suppressed);
    let waits =
        Erasure::OpenRow { row: crate::conformance::harness::row_id("second"), state: RowState::Pending };
    assert_eq!(erase(&bench, at(&suppressed.work)).await, waits);
    send_all(&bench).await;
    assert_eq!(erase(&bench, at(&suppressed.work)).await, erased(1, 1, 0));
}

pub(super) async fn payload_erase_leaves_an_answer_that_another_work_refers_to(bench: Bench) {
    let (first, second) = (bench.hold("a").await, bench.hold("b").await);
    for held in [&first, &second] {
        ask(&bench, held, "7").await;
        bench.settle(held, done()).await;
    }
    assert_eq!(erase(&bench, at(&first.work)).await, erased(1, 0, 0));
    assert_eq!(answer_of(&bench, at(&second.work), None).await, decision::pinned("7"));
    assert_eq!(erase(&bench, at(&second.work)).await, erased(1, 0, 1), "an erased work holds nothing");
    // An equal question is asked anew, and its answer is the first one again.
    let third = bench.hold("c").await;
    assert_eq!(answer_of(&bench, at(&third.work), Some(QUESTION)).await, None);
    assert_eq!(ask(&bench, &third, "8").await, "8");
    let fourth = bench.hold("d").await;
    assert_eq!(ask(&bench, &fourth, "9").await, "8");
    bench.settle(&third, done()).await;
    assert_eq!(erase(&bench, at(&third.work)).await, erased(1, 0, 0), "the fourth refers to it");
}

pub(super) async fn payload_erase_takes_kept_events_that_a_person_has_decided_about(bench: Bench) {
    let first = bench.finish("a", Collected::default()).await;
    let mut kept = Vec::new();
    for content in ["admitted", "dropped", "waiting"] {
        let current = candidate("a", 1, content);
        let colliding = Arrival { current, on_mismatch: OnMismatch::Quarantine, ..arrival("a") };
        let Standing::Quarantined { id } = bench.standing(colliding).await else { panic!("it is not kept") };
        kept.push(id);
    }
    for (id, decision) in [(kept[0], QuarantineDecision::Admit), (kept[1], QuarantineDecision::Drop)] {
        bench.store.quarantine_decide(SPACE, id, decision, actor()).await.expect("the store works");
    }
    let admitted = bench.take().await.expect("admitted");
    bench.settle(&admitted, done()).await;
    let payloads = async || {
        let all = QuarantineFilter { namespace: SPACE.to_owned(), state: None, limit: 10 };
        let mut events = bench.store.quarantine_list(all).await.expect("the store works");
        events.reverse();
        events.into_iter().map(|event| event.payload == ERASED).collect::<Vec<_>>()
    };
    let gone = |works, events| Erasure::Applied(Erased { works, rows: 0, answers: 0, events });
    assert_eq!(erase(&bench, at(&admitted.work)).await, gone(1, 1));
    assert_eq!(payloads().await, [true, false, false]);
    assert_eq!(erase(&bench, at(&first.work)).await, gone(1, 1));
    assert_eq!(payloads().await, [true, true, false], "what waits for a person is another event");
}

pub(super) async fn payload_erase_takes_answers_that_a_person_had_renewed(bench: Bench) {
    let first = bench.hold("a").await;
    ask(&bench, &first, "7").await;
    bench.settle(&first, retry(0)).await;
    let slot = SlotRef { work: at(&first.work), slot: "s".to_owned() };
    let renewed = bench.store.decision_decide(slot, SlotDecision::Renew(Seen::default()), actor()).await;
    assert!(matches!(renewed, Ok(SlotDecided::Applied { .. })), "{renewed:?}");
    let second = bench.take().await.expect("due");
    let again = Pin { revision: 2, ..decision::pin(&second, "s", QUESTION) };
    bench.store.decision_record(decision::answer("8"), again).await.expect("the store works");
    bench.settle(&second, done()).await;
    assert_eq!(erase(&bench, at(&first.work)).await, erased(1, 0, 2), "the first answer and the second");
    let other = bench.hold("b").await;
    assert_eq!(answer_of(&bench, at(&other.work), Some(QUESTION)).await, None);
}

pub(super) async fn payload_erase_of_nothing_and_of_another_namespace_is_unknown(bench: Bench) {
    let held = bench.finish("a", Collected::default()).await;
    let there = WorkRef { namespace: ELSEWHERE.to_owned(), id: held.work.work_id };
    assert_eq!(erase(&bench, there).await, Erasure::Unknown);
    let other = Arrival { namespace: ELSEWHERE.to_owned(), ..arrival("a") };
    let other = crate::conformance::harness::held(bench.claim(other).await);
    bench.settle(&other, done_with(Collected::default())).await;
    assert_eq!(erase(&bench, at(&held.work)).await, erased(1, 0, 0));
    assert_eq!(bench.show(at(&other.work)).await.erased_ms, None);
}

pub(super) async fn payload_scrub_changes_nothing_that_is_kept(bench: Bench) {
    let gone = bench.finish("a", Collected::default()).await;
    let kept = bench.finish("b", rows(&["r"])).await;
    erase(&bench, at(&gone.work)).await;
    assert!(bench.store.payload_scrub().await.expect("the store works"));
    let work = bench.show(at(&kept.work)).await;
    assert_eq!((work.payload.as_str(), work.state), (r#"{"is":"first"}"#, WorkState::Done));
    assert_eq!(bench.take_row().await.payload, "{}");
    assert_eq!(bench.hold("c").await.work.attempt, 1);
}
