//! Retention: what is forgotten, when, and that it never comes back as new.

use crate::conformance::decision;
use crate::conformance::harness::{
    Bench, ELSEWHERE, LEASE_MS, SPACE, STEP, actor, arrival, at, candidate, done, done_with, follow_up, held,
    retry, row, rows, take,
};
use onceward::contract::sameness::SameText;
use onceward::contract::window::Window;
use onceward::identity::key::WorkId;
use onceward::store::claim::{Arrival, Claim, Standing};
use onceward::store::decision::{Found, RulePin};
use onceward::store::item::{ItemClaim, ItemEffect, ItemVerdict};
use onceward::store::operate::Actor;
use onceward::store::outbox::{NewRow, RowOutcome, RowState};
use onceward::store::quarantine::{OnMismatch, QuarantineDecision, QuarantineFilter};
use onceward::store::retention::{Cursor, ERASED, Kept, Pass};
use onceward::store::work::{Collected, Mark, Outcome};
use support::sim_clock::START_MS;

/// The window of nearly all cases, in seconds and in milliseconds.
const WINDOW_S: u64 = 3_600;
const WINDOW_MS: i64 = 3_600_000;

fn remembered(id: &str, window: Window) -> Arrival {
    Arrival { window, ..arrival(id) }
}

fn for_an_hour(id: &str) -> Arrival {
    remembered(id, Window::Duration(WINDOW_S))
}

fn until_synced(id: &str) -> Arrival {
    remembered(id, Window::UntilMarker("synced".to_owned()))
}

async fn finish(bench: &Bench, arrival: Arrival, collected: Collected) {
    let held = held(bench.claim(arrival).await);
    bench.settle(&held, done_with(collected)).await;
}

/// One whole pass, in transactions that look at two candidates.
async fn expire(bench: &Bench) -> u64 {
    let (mut forgotten, mut next) = (0, Some(Cursor::START));
    while let Some(after) = next {
        let pass = bench.store.family_expire(SPACE, after, 2).await.expect("the store works");
        forgotten += pass.forgotten;
        next = pass.next;
    }
    forgotten
}

async fn deliver_all(bench: &Bench) {
    for sending in bench.take_rows(take()).await {
        let sent = RowOutcome::Sent {
            receipt: "{}".to_owned(),
            truncated: false,
            external_reference: None,
            flag: None,
        };
        bench.store.outbox_settle(sending.row, sending.token, sent).await.expect("the store works");
    }
}

async fn count(bench: &Bench) -> u64 {
    bench.store.work_counts(SPACE).await.expect("the store works").by_state.values().sum()
}

pub(super) async fn family_expire_forgets_a_family_whole_and_nothing_else(bench: Bench) {
    let first = held(bench.claim(for_an_hour("a")).await);
    let items = ItemClaim {
        work: at(&first.work),
        step: STEP.to_owned(),
        token: first.token,
        keys: vec!["1".to_owned()],
    };
    bench.store.item_claim(items).await.expect("the store works");
    let collected = Collected {
        rows: vec![row("r", "{}")],
        mark: Some(Mark { stage: "matched".to_owned(), kept: vec!["matched".to_owned()], mirror: None }),
        pins: vec![RulePin { slot: "s".to_owned(), answer: "7".to_owned() }],
        effects: vec![ItemEffect { key: "1".to_owned(), external_reference: None }],
        released: Vec::new(),
    };
    bench.settle_with(&first, done_with(collected), &["a note"]).await;
    deliver_all(&bench).await;
    finish(&bench, arrival("kept"), rows(&["k"])).await;
    bench.advance(WINDOW_MS);
    assert_eq!(expire(&bench).await, 0, "the window ends after its last moment");
    bench.advance(1);
    assert_eq!(expire(&bench).await, 1);
    assert_eq!(bench.store.work_show(at(&first.work)).await.expect("the store works").map(|_| ()), None);
    assert!(bench.kinds(at(&first.work)).await.is_empty());
    assert_eq!(bench.store.progress_find(SPACE, first.work.root_key).await.expect("the store works"), None);
    let states: Vec<_> = bench.rows().await.into_iter().map(|row| row.row_id).collect();
    assert_eq!(states, [crate::conformance::harness::row_id("k")], "the other family's row is there");
    let counts = bench.store.outbox_counts(SPACE).await.expect("the store works");
    assert_eq!(counts.by_state.values().sum::<u64>(), 1, "what is gone is not counted");
    assert_eq!(count(&bench).await, 1);
    assert_eq!(expire(&bench).await, 0);
}

pub(super) async fn family_expire_waits_until_everything_that_came_of_the_event_has_ended(bench: Bench) {
    // A work that a person can still move, a row that is not sent, and a follow-up that has not run.
    for (id, outcome) in [
        ("dead", Outcome::Dead { cause: "used up".to_owned() }),
        ("review", Outcome::Review { cause: "unsure".to_owned() }),
        ("waiting", retry(100 * WINDOW_MS)),
    ] {
        let held = held(bench.claim(for_an_hour(id)).await);
        bench.settle(&held, outcome).await;
    }
    finish(&bench, for_an_hour("row"), rows(&["r"])).await;
    let held_work = held(bench.claim(for_an_hour("followed")).await);
    let mut next = follow_up("followed", "{}");
    next.window = Window::Duration(WINDOW_S);
    let outcome = Outcome::Done {
        output: "1".to_owned(),
        needs_review: None,
        follow_up: Some(next),
        collected: Collected::default(),
    };
    bench.settle(&held_work, outcome).await;
    bench.advance(2 * WINDOW_MS);
    assert_eq!(expire(&bench).await, 0);
    // The window of the one with the row begins when the row is sent, and that of the followed one with its last work.
    deliver_all(&bench).await;
    let last = bench.store.work_take(SPACE, "reply", crate::conformance::harness::TERMS).await;
    let last = held(last.expect("the store works").expect("the follow-up is due"));
    bench.settle(&last, done()).await;
    bench.advance(WINDOW_MS);
    assert_eq!(expire(&bench).await, 0);
    bench.advance(1);
    assert_eq!(expire(&bench).await, 2);
    assert_eq!(count(&bench).await, 3, "what a person must look at stays");
}

pub(super) async fn family_expire_makes_its_event_too_old_and_never_new(bench: Bench) {
    let untimed = |id: &str| Arrival { occurred_at_ms: None, ..for_an_hour(id) };
    // A sender whose clock is ahead: the window begins when its event says that it happened.
    let ahead = |id: &str| Arrival { occurred_at_ms: Some(START_MS + 10 * WINDOW_MS), ..for_an_hour(id) };
    for arrival in [for_an_hour("timed"), untimed("untimed"), ahead("ahead")] {
        finish(&bench, arrival, Collected::default()).await;
    }
    bench.advance(WINDOW_MS + 1);
    assert_eq!(expire(&bench).await, 2);
    assert!(matches!(bench.standing(ahead("ahead")).await, Standing::Done(_)));
    bench.advance(10 * WINDOW_MS);
    assert_eq!(expire(&bench).await, 1);
    let bench = bench.reopen().await;
    for arrival in [for_an_hour("timed"), untimed("untimed"), ahead("ahead")] {
        assert_eq!(bench.standing(arrival.clone()).await, Standing::TooOld, "{arrival:?}");
    }
    // A time that is made up for the repeat does not help an event whose key is buried.
    let made_up = Arrival { occurred_at_ms: Some(START_MS + 20 * WINDOW_MS), ..for_an_hour("untimed") };
    assert_eq!(bench.standing(made_up).await, Standing::TooOld);
    assert!(
        matches!(bench.claim(untimed("another")).await, Claim::Acquired(_)),
        "others without a time are new"
    );
}

/// What is not promised: a sender that gives a forgotten event another time, or none any more, is not seen through.
pub(super) async fn family_expire_knows_no_event_again_that_comes_under_another_time(bench: Bench) {
    let otherwise = [("later", Some(START_MS + 10 * WINDOW_MS)), ("none", None)];
    for (id, _) in otherwise {
        finish(&bench, for_an_hour(id), Collected::default()).await;
    }
    bench.advance(WINDOW_MS + 1);
    assert_eq!(expire(&bench).await, 2);
    for (id, time) in otherwise {
        assert_eq!(bench.standing(for_an_hour(id)).await, Standing::TooOld, "{id}");
        let renewed = Arrival { occurred_at_ms: time, ..for_an_hour(id) };
        assert!(matches!(bench.claim(renewed).await, Claim::Acquired(_)), "{id}");
    }
}

pub(super) async fn family_expire_leaves_its_event_too_old_under_a_longer_window(bench: Bench) {
    finish(&bench, for_an_hour("a"), Collected::default()).await;
    bench.advance(WINDOW_MS + 1);
    assert_eq!(expire(&bench).await, 1);
    for window in
        [Window::ForEver, Window::Duration(100 * WINDOW_S), Window::UntilMarker("synced".to_owned())]
    {
        assert_eq!(bench.standing(remembered("a", window.clone())).await, Standing::TooOld, "{window:?}");
        let later = Arrival { occurred_at_ms: Some(START_MS + 1), ..remembered("b", window.clone()) };
        let id = format!("later {window:?}");
        let later = Arrival { current: candidate(&id, 1, "first"), ..later };
        assert!(matches!(bench.claim(later).await, Claim::Acquired(_)), "{window:?}");
    }
}

pub(super) async fn family_expire_finds_the_event_too_old_under_an_earlier_identity(bench: Bench) {
    let untimed = Arrival { occurred_at_ms: None, ..for_an_hour("a") };
    finish(&bench, untimed.clone(), Collected::default()).await;
    bench.advance(WINDOW_MS + 1);
    assert_eq!(expire(&bench).await, 1);
    let raised = Arrival {
        current: candidate("a by other fields", 2, "first"),
        earlier: vec![untimed.current.clone()],
        ..untimed
    };
    assert_eq!(bench.standing(raised).await, Standing::TooOld);
}

pub(super) async fn family_expire_keeps_a_family_for_the_longest_window_in_it(bench: Bench) {
    for (id, window) in [("longer", Window::Duration(3 * WINDOW_S)), ("for-ever", Window::ForEver)] {
        let first = held(bench.claim(for_an_hour(id)).await);
        let mut next = follow_up(id, "{}");
        next.window = window;
        let outcome = Outcome::Done {
            output: "1".to_owned(),
            needs_review: None,
            follow_up: Some(next),
            collected: Collected::default(),
        };
        bench.settle(&first, outcome).await;
        let terms = crate::conformance::harness::TERMS;
        let last = bench.store.work_take(SPACE, "reply", terms).await.expect("the store works");
        bench.settle(&held(last.expect("due")), done()).await;
    }
    bench.advance(WINDOW_MS + 1);
    assert_eq!(expire(&bench).await, 0);
    bench.advance(2 * WINDOW_MS);
    assert_eq!(expire(&bench).await, 1);
    assert_eq!(count(&bench).await, 2);
}

pub(super) async fn family_expire_takes_what_ended_before_the_marker_was_set(bench: Bench) {
    finish(&bench, until_synced("before"), Collected::default()).await;
    let late = held(bench.claim(until_synced("late")).await);
    bench.advance(1_000);
    assert_eq!(expire(&bench).await, 0, "a marker that was never set ends nothing");
    bench.store.marker_set(SPACE, "other", actor()).await.expect("the store works");
    assert_eq!(expire(&bench).await, 0);
    bench.store.marker_set(SPACE, "synced", actor()).await.expect("the store works");
    assert_eq!(expire(&bench).await, 1);
    let too_old = until_synced("before");
    assert_eq!(bench.standing(too_old).await, Standing::TooOld);
    let unseen = Arrival { occurred_at_ms: Some(START_MS), ..until_synced("unseen") };
    assert_eq!(bench.standing(unseen).await, Standing::TooOld, "it happened before the marker");
    let untimed = Arrival { occurred_at_ms: None, ..until_synced("untimed") };
    finish(&bench, untimed.clone(), Collected::default()).await;
    bench.settle(&late, done()).await;
    assert_eq!(expire(&bench).await, 0, "what ended as it was set, or after, waits for the next time");
    bench.advance(1);
    bench.store.marker_set(SPACE, "synced", actor()).await.expect("the store works");
    assert_eq!(expire(&bench).await, 2);
    assert_eq!(bench.standing(untimed).await, Standing::TooOld);
}

pub(super) async fn family_expire_goes_on_from_batch_to_batch_until_nothing_is_left(bench: Bench) {
    for id in 0..7 {
        finish(&bench, for_an_hour(&id.to_string()), Collected::default()).await;
    }
    bench.advance(WINDOW_MS + 1);
    let pass = bench.store.family_expire(SPACE, Cursor::START, 2).await.expect("the store works");
    assert_eq!((pass.forgotten, pass.next.is_some()), (2, true));
    assert_eq!(count(&bench).await, 5);
    assert_eq!(expire(&bench).await, 5);
}

pub(super) async fn family_expire_leaves_tokens_and_other_namespaces_alone(bench: Bench) {
    finish(&bench, for_an_hour("a"), Collected::default()).await;
    let there = Arrival { namespace: ELSEWHERE.to_owned(), ..for_an_hour("a") };
    finish(&bench, there.clone(), Collected::default()).await;
    let before = bench.hold("b").await;
    bench.advance(WINDOW_MS + 1);
    assert_eq!(expire(&bench).await, 1);
    let bench = bench.reopen().await;
    let after = held(bench.claim(Arrival { occurred_at_ms: None, ..arrival("c") }).await);
    assert!(after.token > before.token);
    assert!(matches!(bench.standing(there).await, Standing::Done(_)));
    let new_there = Arrival { occurred_at_ms: None, namespace: ELSEWHERE.to_owned(), ..for_an_hour("d") };
    assert!(matches!(bench.claim(new_there).await, Claim::Acquired(_)));
}

pub(super) async fn family_expire_s21_keeps_done_items_for_the_window_of_their_run(bench: Bench) {
    let claim = async |bench: &Bench, id: &str| {
        let run = held(bench.claim(for_an_hour(id)).await);
        let keys = vec!["1".to_owned()];
        let order = ItemClaim { work: at(&run.work), step: STEP.to_owned(), token: run.token, keys };
        (bench.store.item_claim(order).await.expect("the store works").expect("held").remove(0), run)
    };
    let (_, first) = claim(&bench, "first run").await;
    let effect = ItemEffect { key: "1".to_owned(), external_reference: None };
    bench.settle(&first, done_with(Collected { effects: vec![effect], ..Collected::default() })).await;
    bench.advance(WINDOW_MS);
    assert_eq!(expire(&bench).await, 0);
    let now = |id: &str| Arrival { occurred_at_ms: None, ..for_an_hour(id) };
    let run = held(bench.claim(now("second run")).await);
    let keys = vec!["1".to_owned()];
    let order = ItemClaim { work: at(&run.work), step: STEP.to_owned(), token: run.token, keys };
    let verdicts = bench.store.item_claim(order.clone()).await.expect("the store works").expect("held");
    assert_eq!(verdicts, [ItemVerdict::Done(None)]);
    bench.advance(1);
    assert_eq!(expire(&bench).await, 1);
    let verdicts = bench.store.item_claim(order).await.expect("the store works").expect("held");
    assert_eq!(verdicts, [ItemVerdict::Acquired]);
}

/// A row whose text goes out once within three windows.
fn message(id: &str) -> Collected {
    let same = Some(SameText { key: [7; 32], within_ms: 3 * WINDOW_MS });
    Collected { rows: vec![NewRow { same, ..row(id, "{}") }], ..Collected::default() }
}

pub(super) async fn family_expire_s22_keeps_a_sent_row_as_long_as_it_suppresses_others(bench: Bench) {
    finish(&bench, for_an_hour("a"), message("first")).await;
    finish(&bench, for_an_hour("b"), message("second")).await;
    bench.advance(2 * WINDOW_MS);
    assert_eq!(expire(&bench).await, 0, "the second takes its turn if the first ends unsent");
    deliver_all(&bench).await;
    bench.advance(3 * WINDOW_MS - 1);
    assert_eq!(expire(&bench).await, 1, "the second's, which suppresses nobody");
    let third = Arrival { occurred_at_ms: None, ..arrival("c") };
    finish(&bench, third, message("third")).await;
    assert_eq!(bench.row("third").await.state, RowState::Suppressed);
    bench.advance(2);
    assert_eq!(expire(&bench).await, 1);
}

/// An event of this identity with other content, kept for a person, under the id that it waits by.
async fn kept_event(bench: &Bench, id: &str, content: &str) -> (Arrival, WorkId) {
    let colliding = Arrival {
        current: candidate(id, 1, content),
        on_mismatch: OnMismatch::Quarantine,
        occurred_at_ms: None,
        ..for_an_hour(id)
    };
    let Standing::Quarantined { id } = bench.standing(colliding.clone()).await else {
        panic!("it is not kept")
    };
    (colliding, id)
}

async fn decide_about(bench: &Bench, id: WorkId, decision: QuarantineDecision) {
    let actor = Actor { name: "Noor".to_owned(), reason: "looked at".to_owned(), action: None };
    bench.store.quarantine_decide(SPACE, id, decision, actor).await.expect("the store works");
}

pub(super) async fn family_expire_keeps_a_family_while_an_event_that_collided_with_it_waits(bench: Bench) {
    finish(&bench, for_an_hour("a"), Collected::default()).await;
    let (dropped, id) = kept_event(&bench, "a", "second").await;
    bench.advance(2 * WINDOW_MS);
    assert_eq!(expire(&bench).await, 0, "a person has not decided");
    decide_about(&bench, id, QuarantineDecision::Drop).await;
    bench.advance(WINDOW_MS + 1);
    assert_eq!(expire(&bench).await, 1);
    assert_eq!(bench.standing(dropped).await, Standing::TooOld, "it is no more new than the first");
}

pub(super) async fn family_expire_leaves_an_admitted_event_too_old_whichever_goes_first(bench: Bench) {
    finish(&bench, for_an_hour("a"), Collected::default()).await;
    let (admitted, id) = kept_event(&bench, "a", "second").await;
    decide_about(&bench, id, QuarantineDecision::Admit).await;
    let work = bench.take().await.expect("admitted");
    assert_eq!(work.work.work_id, id);
    bench.advance(WINDOW_MS + 1);
    assert_eq!(expire(&bench).await, 1, "the first; the admitted one has not run");
    assert_eq!(bench.standing(admitted).await, Standing::TooOld);
    bench.settle(&bench.take().await.expect("the lease has ended"), done()).await;
    // The other way round: the admitted one ends, and the first waits for a person.
    let first = held(bench.claim(Arrival { occurred_at_ms: None, ..for_an_hour("b") }).await);
    let (admitted, id) = kept_event(&bench, "b", "second").await;
    decide_about(&bench, id, QuarantineDecision::Admit).await;
    bench.settle(&bench.take().await.expect("admitted"), done()).await;
    bench.settle(&first, Outcome::Review { cause: "unsure".to_owned() }).await;
    bench.advance(WINDOW_MS + 1);
    assert_eq!(expire(&bench).await, 2, "both admitted ones");
    assert_eq!(bench.standing(admitted).await, Standing::TooOld);
    let all = QuarantineFilter { namespace: SPACE.to_owned(), state: None, limit: 10 };
    let left = bench.store.quarantine_list(all).await.expect("the store works");
    assert_eq!(left.len(), 1);
    assert_eq!(left[0].payload, ERASED, "what it said went with its work");
}

pub(super) async fn family_due_says_what_would_be_forgotten_and_forgets_nothing(bench: Bench) {
    for id in ["a", "b", "c"] {
        finish(&bench, for_an_hour(id), Collected::default()).await;
    }
    let open = held(bench.claim(for_an_hour("open")).await);
    bench.settle(&open, retry(0)).await;
    let due = async |at_ms: i64| {
        let (mut forgotten, mut next) = (0, Some(Cursor::START));
        while let Some(after) = next {
            let pass = bench.store.family_due(SPACE, at_ms, after, 2).await.expect("the store works");
            forgotten += pass.forgotten;
            next = pass.next;
        }
        forgotten
    };
    assert_eq!(due(START_MS + WINDOW_MS).await, 0);
    assert_eq!(due(START_MS + WINDOW_MS + 1).await, 3);
    assert_eq!(count(&bench).await, 4);
    bench.advance(WINDOW_MS + 1);
    assert_eq!(expire(&bench).await, 3);
    assert_eq!(due(START_MS + WINDOW_MS + 1).await, 0);
}

pub(super) async fn family_kept_says_how_many_wait_for_time_and_for_markers(bench: Bench) {
    finish(&bench, for_an_hour("a"), Collected::default()).await;
    bench.advance(1_000);
    for id in ["b", "c"] {
        finish(&bench, for_an_hour(id), Collected::default()).await;
    }
    finish(&bench, until_synced("d"), Collected::default()).await;
    finish(&bench, arrival("for ever"), Collected::default()).await;
    let kept = async || bench.store.family_kept(SPACE).await.expect("the store works");
    let waiting = |families, next_ms| Kept { marker: None, families, next_ms };
    let synced = Kept { marker: Some("synced".to_owned()), families: 1, next_ms: START_MS + 1_000 };
    assert_eq!(kept().await, [waiting(3, START_MS + WINDOW_MS), synced.clone()]);
    bench.advance(WINDOW_MS - 500);
    assert_eq!(expire(&bench).await, 1);
    assert_eq!(kept().await, [waiting(2, START_MS + 1_000 + WINDOW_MS), synced]);
}

async fn decide(bench: &Bench, id: &str, question: &str) {
    let held = held(bench.claim(for_an_hour(id)).await);
    decision::record(bench, &held, "s", question, "7").await;
    bench.settle(&held, done()).await;
}

pub(super) async fn decision_expire_forgets_old_answers_that_no_work_refers_to(bench: Bench) {
    for id in ["a", "b", "c"] {
        decide(&bench, id, id).await;
    }
    let age_ms = 2 * WINDOW_MS;
    let expire_answers = async |bench: &Bench| {
        let (mut forgotten, mut next) = (0, Some(Cursor::START));
        while let Some(after) = next {
            let pass = bench.store.decision_expire(SPACE, age_ms, after, 2).await.expect("the store works");
            forgotten += pass.forgotten;
            next = pass.next;
        }
        forgotten
    };
    let cached = async |bench: &Bench| {
        let asks = Arrival { occurred_at_ms: None, ..arrival("asks") };
        let work = at(&held(bench.claim(asks).await).work);
        bench.advance(LEASE_MS);
        decision::find(bench, work, "s", Some("a")).await
    };
    bench.advance(3 * WINDOW_MS);
    assert_eq!(expire_answers(&bench).await, 0, "they are pinned");
    assert_eq!(expire(&bench).await, 3);
    assert_eq!(cached(&bench).await, Some(Found::Cached("7".to_owned())), "the answer outlives its work");
    assert_eq!(expire_answers(&bench).await, 3);
    assert_eq!(cached(&bench).await, None);
}

pub(super) async fn decision_due_says_what_would_be_forgotten_and_forgets_nothing(bench: Bench) {
    decide(&bench, "a", "a").await;
    bench.advance(WINDOW_MS + 1);
    let due = async |before_ms: i64| {
        bench.store.decision_due(SPACE, before_ms, Cursor::START, 10).await.expect("the store works")
    };
    let nothing = Pass { forgotten: 0, next: None };
    assert_eq!(due(i64::MAX).await, nothing, "it is pinned");
    assert_eq!(expire(&bench).await, 1);
    assert_eq!(due(START_MS).await, nothing);
    let one = Pass { forgotten: 1, next: None };
    assert_eq!(due(START_MS + 1).await, one);
    assert_eq!(due(START_MS + 1).await, one);
}

pub(super) async fn marker_set_moves_a_marker_on(bench: Bench) {
    let set = async |bench: &Bench, space: &str, name: &str| {
        bench.store.marker_set(space, name, actor()).await.expect("the store works").set_ms
    };
    assert_eq!(set(&bench, SPACE, "synced").await, START_MS);
    bench.advance(5);
    assert_eq!(set(&bench, SPACE, "synced").await, START_MS + 5);
    // Time does not go back for it either.
    bench.advance(-1_000);
    let bench = bench.reopen().await;
    assert_eq!(set(&bench, SPACE, "synced").await, START_MS + 5);
    assert_eq!(set(&bench, ELSEWHERE, "billed").await, START_MS + 5);
}

pub(super) async fn marker_list_is_by_name_within_the_namespace(bench: Bench) {
    for name in ["synced", "billed"] {
        bench.store.marker_set(SPACE, name, actor()).await.expect("the store works");
        bench.advance(1);
    }
    let list = async |space: &str| {
        let markers = bench.store.marker_list(space).await.expect("the store works");
        markers.into_iter().map(|marker| (marker.name, marker.set_ms)).collect::<Vec<_>>()
    };
    assert_eq!(list(SPACE).await, [("billed".to_owned(), START_MS + 1), ("synced".to_owned(), START_MS)]);
    assert_eq!(list(ELSEWHERE).await, []);
}
