//! Action ids: an act that is said twice is one act.

use crate::conformance::decision;
use crate::conformance::harness::{
    Bench, ELSEWHERE, SPACE, actor, at, blocked, candidate, done, edited, held_row, other_content, row_id,
    row_ref, rows,
};
use onceward::store::Store;
use onceward::store::action::ACTION_KEPT_MS;
use onceward::store::approval::Approved;
use onceward::store::bulk::{Batch, RowChoice, WorkChoice};
use onceward::store::claim::{Arrival, Standing};
use onceward::store::error::StoreError;
use onceward::store::operate::{Actor, Decided, RowDecision, WorkDecision};
use onceward::store::outbox::RowState;
use onceward::store::pause::PauseScope;
use onceward::store::quarantine::{OnMismatch, QuarantineDecision};
use onceward::store::reprocess::{Reprocess, Reprocessed};
use onceward::store::retention::Erasure;
use onceward::store::slot::{Seen, SlotDecision, SlotRef};
use onceward::store::work::{Outcome, WorkRef, WorkState};
use std::fmt::Debug;

/// A person whose act carries this id.
fn doing(action: &str) -> Actor {
    Actor { action: Some(action.to_owned()), ..actor() }
}

/// Say an act twice, the second time after a restart: the answer is the first one, and nothing more is told of the work. The
/// same under another id is another act.
async fn check<T: Debug + PartialEq>(
    bench: Bench,
    work: Option<&WorkRef>,
    act: impl AsyncFn(&dyn Store, Actor) -> Result<T, StoreError>,
) -> (Bench, T) {
    let told = async |bench: &Bench| match work {
        Some(work) => bench.kinds(work.clone()).await,
        None => Vec::new(),
    };
    let first = act(&*bench.store, doing("a1")).await.expect("the store works");
    let lines = told(&bench).await;
    let bench = bench.reopen().await;
    bench.advance(1);
    assert_eq!(act(&*bench.store, doing("a1")).await.expect("the store works"), first);
    assert_eq!(told(&bench).await, lines, "it was done once");
    let next = act(&*bench.store, doing("a2")).await;
    assert!(next.as_ref().is_ok_and(|next| *next != first), "alone it is answered otherwise: {next:?}");
    (bench, first)
}

async fn dead(bench: &Bench, id: &str) -> WorkRef {
    let held = bench.hold(id).await;
    bench.settle(&held, Outcome::Dead { cause: "the model is away".to_owned() }).await;
    at(&held.work)
}

const EVERY: Batch = Batch { limit: 2, first_in_ms: 0, every_ms: 0 };

pub(super) async fn work_decide_twice_under_one_action_id_is_one_act(bench: Bench) {
    let work = dead(&bench, "a").await;
    let replay = || WorkDecision::Replay { due_in_ms: 60_000 };
    let (bench, decided) = check(bench, Some(&work), async |store, actor| {
        store.work_decide(work.clone(), replay(), actor).await
    })
    .await;
    assert_eq!(decided, Decided::Applied);
    // However things stand by then.
    bench.advance(60_000);
    let run = bench.take().await.expect("due");
    bench.settle(&run, done()).await;
    let again = bench.store.work_decide(work.clone(), replay(), doing("a1")).await.expect("the store works");
    assert_eq!(again, Decided::Applied);
    assert_eq!(bench.show(work).await.state, WorkState::Done);
}

pub(super) async fn work_decide_of_another_act_under_the_same_action_id_is_refused(bench: Bench) {
    let (work, other) = (dead(&bench, "a").await, dead(&bench, "b").await);
    let decide =
        async |work: &WorkRef, decision, actor| bench.store.work_decide(work.clone(), decision, actor).await;
    let replay = |due_in_ms| WorkDecision::Replay { due_in_ms };
    assert_eq!(decide(&work, replay(0), doing("a1")).await.expect("the store works"), Decided::Applied);
    let sam = Actor { name: "Sam".to_owned(), ..doing("a1") };
    let why = Actor { reason: "another one".to_owned(), ..doing("a1") };
    for (work, decision, actor) in [
        (&other, replay(0), doing("a1")),
        (&work, replay(1), doing("a1")),
        (&work, WorkDecision::Cancel, doing("a1")),
        (&work, replay(0), sam),
        (&work, replay(0), why),
    ] {
        let refused = decide(work, decision, actor).await.expect_err("it is another act");
        assert!(matches!(&refused, StoreError::ActionReused { action, .. } if action == "a1"), "{refused}");
        assert!(!refused.is_transient());
    }
    assert_eq!(bench.show(other.clone()).await.state, WorkState::Dead);
    assert_eq!(bench.show(work.clone()).await.state, WorkState::Waiting);
    let erase = bench.store.payload_erase(work, doing("a1")).await;
    assert!(matches!(erase, Err(StoreError::ActionReused { .. })), "another operation is another act");
    // Ids of another namespace are others.
    let pause = bench.store.pause_set(ELSEWHERE, PauseScope::Namespace, doing("a1")).await;
    assert!(pause.expect("the store works"));
}

pub(super) async fn work_decide_that_was_refused_may_be_said_again(bench: Bench) {
    let held = bench.hold("a").await;
    let unknown = WorkRef { namespace: SPACE.to_owned(), id: candidate("later", 1, "").work_id };
    let replay = async |work: &WorkRef, action: &str| {
        let decision = WorkDecision::Replay { due_in_ms: 0 };
        bench.store.work_decide(work.clone(), decision, doing(action)).await.expect("the store works")
    };
    assert_eq!(replay(&at(&held.work), "a1").await, Decided::Refused(WorkState::Running));
    assert_eq!(replay(&unknown, "a2").await, Decided::Unknown);
    bench.settle(&held, Outcome::Dead { cause: "the model is away".to_owned() }).await;
    dead(&bench, "later").await;
    assert_eq!(replay(&at(&held.work), "a1").await, Decided::Applied);
    assert_eq!(replay(&unknown, "a2").await, Decided::Applied);
}

pub(super) async fn work_replay_all_twice_under_one_action_id_is_one_batch(bench: Bench) {
    for id in ["a", "b", "c"] {
        dead(&bench, id).await;
    }
    let namespace = SPACE.to_owned();
    let choice = WorkChoice { namespace, state: WorkState::Dead, step: None, cause: None };
    let (bench, decided) =
        check(bench, None, async |store, actor| store.work_replay_all(choice.clone(), EVERY, actor).await)
            .await;
    assert_eq!(decided, 2);
    assert_eq!(bench.store.work_choose_count(choice).await.expect("the store works"), 0);
}

pub(super) async fn work_reprocess_twice_under_one_action_id_is_one_act(bench: Bench) {
    let held = bench.finish("a", Default::default()).await;
    let new = candidate("a", 2, "second");
    let reprocess = Reprocess {
        work: at(&held.work),
        version: 2,
        work_id: new.work_id,
        readable_key: new.readable_key,
        content_hash: new.content_hash,
    };
    let (_, reprocessed) = check(bench, Some(&at(&held.work)), async |store, actor| {
        store.work_reprocess(reprocess.clone(), actor).await
    })
    .await;
    assert_eq!(reprocessed, Reprocessed::Applied { id: new.work_id });
}

pub(super) async fn outbox_decide_twice_under_one_action_id_is_one_act(bench: Bench) {
    let work = bench.finish("a", rows(&["1", "2", "3", "4"])).await;
    for sending in bench.take_rows(crate::conformance::harness::take()).await {
        bench.settle_row(&sending, blocked()).await;
    }
    let (bench, decided) = check(bench, Some(&at(&work.work)), async |store, actor| {
        store.outbox_decide(row_ref("1"), RowDecision::Again { due_in_ms: 0 }, actor).await
    })
    .await;
    assert_eq!(decided, Decided::Applied);
    let choice =
        RowChoice { namespace: SPACE.to_owned(), state: RowState::Blocked, destination: None, cause: None };
    let cancel = async |action: &str| {
        let decided =
            bench.store.outbox_decide_all(choice.clone(), RowDecision::Cancel, EVERY, doing(action)).await;
        decided.expect("the store works")
    };
    assert_eq!([cancel("b1").await, cancel("b1").await, cancel("b2").await], [2, 2, 1]);
}

pub(super) async fn outbox_approve_twice_under_one_action_id_is_one_act(bench: Bench) {
    let work = bench.enqueue(vec![held_row("approved"), held_row("edited")]).await;
    let (bench, approved) = check(bench, Some(&work), async |store, actor| {
        store.outbox_approve(row_ref("approved"), None, actor).await
    })
    .await;
    assert_eq!(approved, Approved::Applied);
    let edit = async |action: &str| {
        let edit = edited(r#"{"v":2}"#);
        bench.store.outbox_edit(row_ref("edited"), edit, doing(action)).await.expect("the store works")
    };
    let first = edit("b1").await;
    assert_eq!(edit("b1").await, first);
    assert_ne!(edit("b2").await, first);
    // What is refused for another payload is not on record.
    let hash = |hash| bench.store.outbox_approve(row_ref("edited"), Some(hash), doing("c1"));
    assert!(matches!(hash([0; 32]).await, Ok(Approved::OtherPayload { .. })));
    assert!(matches!(hash(edited("{}").payload_hash).await, Ok(Approved::Superseded { .. })));
    assert_eq!(bench.state(row_id("approved")).await, RowState::Pending);
}

pub(super) async fn decision_decide_twice_under_one_action_id_is_one_act(bench: Bench) {
    let held = bench.hold("a").await;
    decision::record(&bench, &held, "s", "q", "7").await;
    let cause = "it waits".to_owned();
    let hold = Outcome::Hold { slot: "s".to_owned(), by_rule: None, expires_in_ms: None, cause };
    bench.settle(&held, hold).await;
    let slot = SlotRef { work: at(&held.work), slot: "s".to_owned() };
    check(bench, Some(&at(&held.work)), async |store, actor| {
        store.decision_decide(slot.clone(), SlotDecision::Approve(Seen::default()), actor).await
    })
    .await;
}

pub(super) async fn quarantine_decide_twice_under_one_action_id_is_one_act(bench: Bench) {
    let first = bench.finish("a", Default::default()).await;
    let colliding = Arrival { on_mismatch: OnMismatch::Quarantine, ..other_content("a") };
    let Standing::Quarantined { id } = bench.standing(colliding).await else { panic!("it is not kept") };
    let (_, decided) = check(bench, Some(&at(&first.work)), async |store, actor| {
        store.quarantine_decide(SPACE, id, QuarantineDecision::Admit, actor).await
    })
    .await;
    assert_eq!(decided, Decided::Applied);
}

pub(super) async fn pause_set_twice_under_one_action_id_is_one_act(bench: Bench) {
    let scope = || PauseScope::Step("other".to_owned());
    let set = async |bench: &Bench, action: &str| {
        bench.store.pause_set(SPACE, scope(), doing(action)).await.expect("the store works")
    };
    let lift = async |bench: &Bench, action: &str| {
        bench.store.pause_lift(SPACE, scope(), doing(action)).await.expect("the store works")
    };
    let paused = async |bench: &Bench| !bench.store.pause_list(SPACE).await.expect("it works").is_empty();
    assert!(set(&bench, "set").await && !set(&bench, "too late").await);
    assert!(lift(&bench, "lift").await);
    assert!(set(&bench, "set").await && !set(&bench, "too late").await);
    assert!(!paused(&bench).await, "the late repeats pause nothing");
    assert!(set(&bench, "another").await && lift(&bench, "lift").await);
    assert!(paused(&bench).await, "and lift nothing");
}

pub(super) async fn payload_erase_twice_under_one_action_id_is_one_act(bench: Bench) {
    let held = bench.finish("a", Default::default()).await;
    let (_, erased) = check(bench, Some(&at(&held.work)), async |store, actor| {
        store.payload_erase(at(&held.work), actor).await
    })
    .await;
    assert!(matches!(erased, Erasure::Applied(erased) if erased.works == 1));
}

pub(super) async fn marker_set_twice_under_one_action_id_is_one_act(bench: Bench) {
    let (bench, first) =
        check(bench, None, async |store, actor| store.marker_set(SPACE, "synced", actor).await).await;
    assert_eq!(first.set_by, "Noor says: checked by hand");
    bench.advance(10);
    let list = async || bench.store.marker_list(SPACE).await.expect("the store works");
    let before = list().await;
    let repeat = bench.store.marker_set(SPACE, "synced", doing("a1")).await.expect("the store works");
    assert_eq!((repeat, list().await), (first, before), "a late repeat ends no window");
}

pub(super) async fn action_expire_forgets_what_nobody_repeats_any_more(bench: Bench) {
    let act = async |namespace: &str, action: &str| {
        let set = bench.store.marker_set(namespace, action, doing(action)).await;
        set.expect("the store works").set_ms
    };
    let expire = async |limit| bench.store.action_expire(SPACE, limit).await.expect("the store works");
    let mut first = 0;
    for action in ["a", "b", "c"] {
        first = act(SPACE, action).await;
    }
    act(ELSEWHERE, "a").await;
    bench.advance(ACTION_KEPT_MS);
    act(SPACE, "young").await;
    assert_eq!(expire(10).await, 0);
    assert_eq!(act(SPACE, "c").await, first, "it is remembered for so long");
    bench.advance(1);
    assert_eq!([expire(2).await, expire(2).await, expire(2).await], [2, 1, 0]);
    assert_ne!(act(SPACE, "c").await, first, "it is another act now");
    assert_eq!(act(ELSEWHERE, "a").await, first);
}
