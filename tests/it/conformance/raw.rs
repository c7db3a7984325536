//! Events as they arrived.

use crate::conformance::harness::{
    Bench, ELSEWHERE, SPACE, TERMS, actor, arrival, at, candidate, done, follow_up, held, other_content,
};
use onceward::contract::window::Window;
use onceward::identity::key::WorkId;
use onceward::store::claim::{Arrival, Standing, Taking};
use onceward::store::quarantine::{OnMismatch, QuarantineDecision};
use onceward::store::raw::Raw;
use onceward::store::retention::Cursor;
use onceward::store::work::{Collected, Outcome, WorkRef};

const WINDOW_MS: u64 = 3_600_000;

/// An event that is neither text nor JSON, with a header that came twice.
fn raw(body: &str) -> Raw {
    let header = |name: &str, value: &str| (name.to_owned(), value.to_owned());
    Raw {
        bytes: [body.as_bytes(), &[0, 0xff, b'\n']].concat(),
        content_type: Some("application/cloudevents+json; charset=utf-8".to_owned()),
        headers: vec![header("webhook-id", body), header("x-tag", "b\u{e9}"), header("x-tag", "a")],
    }
}

fn with(body: &str, arrival: Arrival) -> Arrival {
    Arrival { raw: Some(raw(body)), ..arrival }
}

fn of(id: WorkId) -> WorkRef {
    WorkRef { namespace: SPACE.to_owned(), id }
}

async fn event(bench: &Bench, work: WorkRef) -> Option<Raw> {
    bench.store.event_raw(work).await.expect("the store works")
}

/// Keep an event that collides with the work of this id; the id that it waits by.
async fn kept(bench: &Bench, id: &str, content: &str, window: Window) -> WorkId {
    let current = candidate(id, 1, content);
    let on_mismatch = OnMismatch::Quarantine;
    let colliding = Arrival { current, on_mismatch, occurred_at_ms: None, window, ..arrival(id) };
    match bench.standing(with(content, colliding)).await {
        Standing::Quarantined { id } => id,
        other => panic!("{other:?}"),
    }
}

async fn decide(bench: &Bench, id: WorkId, decision: QuarantineDecision) {
    bench.store.quarantine_decide(SPACE, id, decision, actor()).await.expect("the store works");
}

async fn expire(bench: &Bench) -> u64 {
    bench.store.family_expire(SPACE, Cursor::START, 100).await.expect("the store works").forgotten
}

pub(super) async fn event_raw_is_what_arrived_to_the_byte(bench: Bench) {
    let held = held(bench.claim(with("a", arrival("a"))).await);
    let outcome = Outcome::Done {
        output: "{}".to_owned(),
        needs_review: None,
        follow_up: Some(follow_up("next", "{}")),
        collected: Collected::default(),
    };
    bench.settle(&held, outcome).await;
    let recorded = Arrival { taking: Taking::Record, ..with("b", arrival("b")) };
    assert_eq!(bench.standing(recorded).await, Standing::Recorded);
    let bare = Raw { content_type: None, headers: Vec::new(), ..raw("c") };
    bench.claim(Arrival { raw: Some(bare.clone()), ..arrival("c") }).await;
    bench.hold("none").await;
    let bench = bench.reopen().await;
    let id = |id: &str| of(candidate(id, 1, "first").work_id);
    assert_eq!(event(&bench, id("a")).await, Some(raw("a")));
    assert_eq!(event(&bench, of(follow_up("next", "").work_id)).await, Some(raw("a")), "it descends from it");
    assert_eq!(event(&bench, id("b")).await, Some(raw("b")));
    assert_eq!(event(&bench, id("c")).await, Some(bare));
    for none in [id("none"), id("unknown"), WorkRef { namespace: ELSEWHERE.to_owned(), ..id("a") }] {
        assert_eq!(event(&bench, none).await, None);
    }
}

pub(super) async fn event_raw_of_a_repeat_is_the_first_one(bench: Bench) {
    let first = held(bench.claim(with("first", arrival("a"))).await);
    bench.standing(with("again", arrival("a"))).await;
    bench.standing(with("refused", other_content("a"))).await;
    bench.settle(&first, done()).await;
    bench.standing(with("after the end", arrival("a"))).await;
    assert_eq!(event(&bench, at(&first.work)).await, Some(raw("first")));
    let id = kept(&bench, "a", "second", Window::ForEver).await;
    let again = Arrival { on_mismatch: OnMismatch::Quarantine, ..other_content("a") };
    bench.standing(with("once more", again)).await;
    assert_eq!(event(&bench, of(id)).await, Some(raw("second")));
}

pub(super) async fn event_raw_of_an_admitted_event_is_its_works(bench: Bench) {
    let first = held(bench.claim(with("first", arrival("a"))).await);
    bench.settle(&first, done()).await;
    let id = kept(&bench, "a", "second", Window::ForEver).await;
    decide(&bench, id, QuarantineDecision::Admit).await;
    let admitted = bench.take().await.expect("admitted");
    assert_eq!(event(&bench, at(&admitted.work)).await, Some(raw("second")));
    assert_eq!(event(&bench, at(&first.work)).await, Some(raw("first")));
}

pub(super) async fn event_raw_is_erased_with_the_payloads(bench: Bench) {
    let first = held(bench.claim(with("first", arrival("a"))).await);
    bench.settle(&first, done()).await;
    let beside = held(bench.claim(with("beside", arrival("b"))).await);
    let mut ids = Vec::new();
    for content in ["admitted", "dropped", "waiting"] {
        ids.push(kept(&bench, "a", content, Window::ForEver).await);
    }
    decide(&bench, ids[0], QuarantineDecision::Admit).await;
    decide(&bench, ids[1], QuarantineDecision::Drop).await;
    bench.store.payload_erase(at(&first.work), actor()).await.expect("the store works");
    for (id, stays) in [(first.work.work_id, None), (ids[1], None), (beside.work.work_id, Some("beside"))] {
        assert_eq!(event(&bench, of(id)).await, stays.map(raw));
    }
    // Those of another work, and of what a person has not decided about.
    assert_eq!(event(&bench, of(ids[0])).await, Some(raw("admitted")));
    assert_eq!(event(&bench, of(ids[2])).await, Some(raw("waiting")));
    bench.standing(with("after the erasure", arrival("a"))).await;
    assert_eq!(event(&bench, at(&first.work)).await, None, "a repeat brings nothing back");
    let admitted = bench.take().await.expect("admitted");
    bench.settle(&admitted, done()).await;
    bench.store.payload_erase(at(&admitted.work), actor()).await.expect("the store works");
    assert_eq!(event(&bench, of(ids[0])).await, None);
}

pub(super) async fn event_raw_is_forgotten_with_its_family(bench: Bench) {
    let window = || Window::Duration(WINDOW_MS / 1_000);
    let short = |id: &str| Arrival { occurred_at_ms: None, window: window(), ..arrival(id) };
    let first = held(bench.claim(with("first", short("a"))).await);
    bench.settle(&first, done()).await;
    let (admitted, dropped) =
        (kept(&bench, "a", "admitted", window()).await, kept(&bench, "a", "dropped", window()).await);
    decide(&bench, admitted, QuarantineDecision::Admit).await;
    decide(&bench, dropped, QuarantineDecision::Drop).await;
    bench.advance(WINDOW_MS as i64 + 1);
    assert_eq!(expire(&bench).await, 1, "the admitted one has not run");
    for (id, stays) in [(first.work.work_id, None), (dropped, None), (admitted, Some("admitted"))] {
        assert_eq!(event(&bench, of(id)).await, stays.map(raw));
    }
    let work =
        held(bench.store.work_take(SPACE, &first.work.step, TERMS).await.expect("it works").expect("due"));
    bench.settle(&work, done()).await;
    bench.advance(WINDOW_MS as i64 + 1);
    assert_eq!(expire(&bench).await, 1);
    assert_eq!(event(&bench, of(admitted)).await, None);
}
