//! What an outside caller says under its claim: recorded at once, and by nobody else.

use crate::conformance::effect::hold;
use crate::conformance::harness::{
    Bench, CRM, ELSEWHERE, LEASE_MS, SPACE, STEP, at, done, edited, held_row, in_line, retry, row, row_id,
    sent, take,
};
use onceward::contract::fence::Token;
use onceward::store::claim::Acquired;
use onceward::store::item::{ItemClaim, ItemEffect, ItemRecord, ItemRecorded, ItemVerdict};
use onceward::store::outbox::{Enqueued, NewRow, RowState};
use onceward::store::work::{Mark, Settled, WorkRef, WorkState};

/// The scope of a caller's items.
const ITEMS: &str = "caller:list";

async fn enqueue(bench: &Bench, held: &Acquired, row: NewRow) -> Option<Enqueued> {
    bench.store.outbox_enqueue(at(&held.work), held.token, row).await.expect("the store works")
}

async fn advance(bench: &Bench, held: &Acquired, stage: &str) -> Option<String> {
    let stages = ["received", "matched", "owned"].map(str::to_owned);
    let mark = Mark::of(&stages, stage).expect("a stage");
    bench.store.progress_advance(at(&held.work), held.token, mark).await.expect("the store works")
}

async fn save(bench: &Bench, held: &Acquired, cursor: &str) -> bool {
    let saved = bench.store.cursor_save(at(&held.work), held.token, cursor.to_owned()).await;
    saved.expect("the store works")
}

async fn holds(bench: &Bench, work: WorkRef, token: Token) -> bool {
    bench.store.work_held(work, token).await.expect("the store works").is_some()
}

async fn claim_items(bench: &Bench, held: &Acquired, keys: &[&str]) -> Vec<ItemVerdict> {
    let keys = keys.iter().map(|key| (*key).to_owned()).collect();
    let claim = ItemClaim { work: at(&held.work), step: ITEMS.to_owned(), token: held.token, keys };
    bench.store.item_claim(claim).await.expect("the store works").expect("it holds")
}

async fn record_item(bench: &Bench, held: &Acquired, key: &str, reference: Option<&str>) -> ItemRecorded {
    let item = ItemEffect { key: key.to_owned(), external_reference: reference.map(str::to_owned) };
    let record = ItemRecord { work: at(&held.work), step: ITEMS.to_owned(), token: held.token, item };
    bench.store.item_record(record).await.expect("the store works")
}

fn finished(key: &str) -> ItemVerdict {
    ItemVerdict::Done(Some(format!("crm-{key}")))
}

#[track_caller]
fn check(enqueued: Option<Enqueued>, id: &str, state: RowState) {
    assert_eq!(enqueued, Some(Enqueued::There { id: row_id(id), state }));
}

/// A work whose first holder was slow, and is held by the second now.
async fn taken_over(bench: &Bench, id: &str) -> [Box<Acquired>; 2] {
    let slow = hold(bench, id, None).await;
    bench.advance(LEASE_MS);
    [slow, hold(bench, id, None).await]
}

pub(super) async fn work_held_is_the_callers_alone(bench: Bench) {
    let [slow, next] = taken_over(&bench, "a").await;
    let hosted = bench.hold("hosted").await;
    let elsewhere = WorkRef { namespace: ELSEWHERE.to_owned(), id: next.work.work_id };
    for (work, token, expected) in [
        (at(&next.work), next.token, true),
        (at(&slow.work), slow.token, false),
        (at(&hosted.work), hosted.token, false),
        (elsewhere, next.token, false),
        (at(&next.work), Token::from_number(next.token.number() + 1), false),
    ] {
        assert_eq!(holds(&bench, work.clone(), token).await, expected, "{work:?} {token}");
    }
    let found = bench.store.work_held(at(&next.work), next.token).await.expect("the store works");
    assert_eq!(format!("{found:?}"), format!("{:?}", Some(bench.show(at(&next.work)).await)));
    bench.settle(&next, done()).await;
    assert!(!holds(&bench, at(&next.work), next.token).await);
}

pub(super) async fn outbox_enqueue_records_the_row_at_once_whatever_becomes_of_the_claim(bench: Bench) {
    let first = hold(&bench, "a", None).await;
    check(enqueue(&bench, &first, row("x", "{}")).await, "x", RowState::Pending);
    let sending = bench.take_row().await;
    assert_eq!(sending.work_id, first.work.work_id);
    check(enqueue(&bench, &first, row("x", "{}")).await, "x", RowState::Sending);
    assert_eq!(bench.settle(&first, retry(0)).await, Settled::Applied);
    bench.settle_row(&sending, sent()).await;
    // The next attempt says the same, and it is the same row.
    let second = hold(&bench, "a", None).await;
    check(enqueue(&bench, &second, row("x", "{}")).await, "x", RowState::Sent);
    assert_eq!((bench.rows().await.len(), bench.take_rows(take()).await.len()), (1, 0));
    let kinds = bench.kinds(at(&first.work)).await;
    assert_eq!(kinds.iter().filter(|kind| *kind == "enqueued").count(), 1, "{kinds:?}");
}

pub(super) async fn outbox_enqueue_with_another_payload_is_a_conflict_and_the_first_stands(bench: Bench) {
    let held = hold(&bench, "a", None).await;
    enqueue(&bench, &held, row("x", "1")).await;
    let conflict = enqueue(&bench, &held, row("x", "2")).await;
    assert_eq!(conflict, Some(Enqueued::Conflict { id: row_id("x") }));
    assert_eq!(bench.row("x").await.payload, "1");
    assert_eq!(bench.settle(&held, done()).await, Settled::Applied, "the work is none the worse for it");
}

pub(super) async fn outbox_enqueue_without_the_callers_claim_changes_nothing(bench: Bench) {
    let [slow, next] = taken_over(&bench, "a").await;
    assert_eq!(enqueue(&bench, &slow, row("x", "1")).await, None);
    enqueue(&bench, &next, row("x", "1")).await;
    assert_eq!(enqueue(&bench, &slow, row("x", "2")).await, None, "not even that it would conflict");
    let hosted = bench.hold("hosted").await;
    assert_eq!(enqueue(&bench, &hosted, row("y", "1")).await, None);
    bench.settle(&next, done()).await;
    assert_eq!(enqueue(&bench, &next, row("z", "1")).await, None);
    assert_eq!(bench.rows().await.len(), 1);
}

pub(super) async fn outbox_enqueue_gives_the_live_revision_and_keeps_the_line(bench: Bench) {
    let held = hold(&bench, "a", None).await;
    check(enqueue(&bench, &held, held_row("x")).await, "x", RowState::Held);
    let onceward::store::approval::Edited::Applied { row: live, .. } =
        bench.edit(row_id("x"), edited("2")).await
    else {
        panic!("a held row can be edited")
    };
    let again = enqueue(&bench, &held, held_row("x")).await;
    assert_eq!(again, Some(Enqueued::There { id: live, state: RowState::Held }));
    for id in ["1", "2"] {
        enqueue(&bench, &held, in_line(id, "conversation")).await;
    }
    assert_eq!(bench.take_ids(take()).await, [row_id("1")], "the second waits behind the first, to {CRM}");
}

pub(super) async fn progress_advance_goes_forward_only_and_at_once(bench: Bench) {
    let held = hold(&bench, "a", None).await;
    let reached =
        async || bench.store.progress_find(SPACE, held.work.root_key).await.expect("the store works");
    for (said, expected) in
        [("matched", "matched"), ("matched", "matched"), ("received", "matched"), ("owned", "owned")]
    {
        assert_eq!(advance(&bench, &held, said).await.as_deref(), Some(expected), "{said}");
        assert_eq!(reached().await.as_deref(), Some(expected));
    }
    let kinds = bench.kinds(at(&held.work)).await;
    assert_eq!(kinds, ["claimed", "progress", "progress"]);
}

pub(super) async fn progress_advance_tells_a_step_forward_elsewhere_once(bench: Bench) {
    let held = hold(&bench, "a", None).await;
    for (stage, payload) in [("matched", "1"), ("matched", "2"), ("received", "3")] {
        let mirror = Some(Box::new(NewRow { slot: stage.to_owned(), ..row(stage, payload) }));
        let mark = Mark { stage: stage.to_owned(), kept: vec!["matched".to_owned()], mirror };
        bench.store.progress_advance(at(&held.work), held.token, mark).await.expect("the store works");
    }
    let rows: Vec<_> = bench.rows().await.into_iter().map(|row| (row.slot, row.payload)).collect();
    assert_eq!(rows, [("matched".to_owned(), "1".to_owned())]);
}

pub(super) async fn progress_advance_without_the_callers_claim_changes_nothing(bench: Bench) {
    let [slow, next] = taken_over(&bench, "a").await;
    assert_eq!(advance(&bench, &slow, "owned").await, None);
    let hosted = bench.hold("hosted").await;
    assert_eq!(advance(&bench, &hosted, "owned").await, None);
    assert_eq!(advance(&bench, &next, "matched").await.as_deref(), Some("matched"));
    bench.settle(&next, done()).await;
    assert_eq!(advance(&bench, &next, "owned").await, None);
}

pub(super) async fn cursor_save_is_progress_so_that_attempts_begin_anew(bench: Bench) {
    let [_, second] = taken_over(&bench, "a").await;
    assert_eq!(second.work.attempt, 2);
    assert!(save(&bench, &second, "100").await);
    let work = bench.show(at(&second.work)).await;
    assert_eq!((work.state, work.attempt, work.chunk), (WorkState::Running, 1, 1));
    assert_eq!((work.cursor.as_deref(), work.budget_from_ms), (Some("100"), Some(work.updated_ms)));
    bench.advance(LEASE_MS);
    let third = hold(&bench, "a", None).await;
    assert_eq!((third.work.cursor.as_deref(), third.work.attempt), (Some("100"), 2));
    // The same place again is none: a batch that stands still comes to its end.
    assert!(save(&bench, &third, "100").await);
    let work = bench.show(at(&third.work)).await;
    assert_eq!((work.attempt, work.chunk), (2, 1));
}

pub(super) async fn cursor_save_without_the_callers_claim_changes_nothing(bench: Bench) {
    let [slow, next] = taken_over(&bench, "a").await;
    assert!(save(&bench, &next, "7").await);
    assert!(!save(&bench, &slow, "7").await && !save(&bench, &slow, "8").await);
    let hosted = bench.hold("hosted").await;
    assert!(!save(&bench, &hosted, "8").await);
    bench.settle(&next, done()).await;
    assert!(!save(&bench, &next, "9").await);
    assert_eq!(bench.show(at(&next.work)).await.cursor.as_deref(), Some("7"));
}

pub(super) async fn item_record_is_done_for_ever_and_the_first_word_stands(bench: Bench) {
    let first = hold(&bench, "a", None).await;
    claim_items(&bench, &first, &["1", "2"]).await;
    assert_eq!(record_item(&bench, &first, "1", Some("crm-1")).await, ItemRecorded::Applied);
    for said in [Some("crm-1"), None, Some("crm-9")] {
        let already = ItemRecorded::Already { external_reference: Some("crm-1".to_owned()) };
        assert_eq!(record_item(&bench, &first, "1", said).await, already);
    }
    assert_eq!(record_item(&bench, &first, "never claimed", None).await, ItemRecorded::NotHeld);
    // It dies here; what it has not said is free again.
    bench.advance(LEASE_MS);
    let second = hold(&bench, "a", None).await;
    let verdicts = claim_items(&bench, &second, &["1", "2"]).await;
    assert_eq!(verdicts, [finished("1"), ItemVerdict::Acquired]);
}

pub(super) async fn item_record_after_the_claim_counts_while_nobody_else_has_the_item(bench: Bench) {
    let [slow, next] = {
        let slow = hold(&bench, "a", None).await;
        claim_items(&bench, &slow, &["1", "2"]).await;
        bench.advance(LEASE_MS);
        [slow, hold(&bench, "a", None).await]
    };
    assert_eq!(claim_items(&bench, &next, &["2"]).await, [ItemVerdict::Acquired]);
    assert_eq!(record_item(&bench, &slow, "1", Some("crm-1")).await, ItemRecorded::Applied);
    assert_eq!(claim_items(&bench, &next, &["1"]).await, [finished("1")]);
    // The other one may be at it already; a person finds the word in the evidence.
    assert_eq!(record_item(&bench, &slow, "2", Some("crm-2")).await, ItemRecorded::NotHeld);
    let evidence = bench.store.evidence_list(at(&slow.work)).await.expect("the store works");
    let last = evidence.last().expect("there is evidence");
    assert!(
        last.kind == "item-recorded" && last.detail.contains("late") && last.detail.contains("crm-2"),
        "{last:?}"
    );
    assert_eq!(record_item(&bench, &next, "2", Some("crm-3")).await, ItemRecorded::Applied);
}

pub(super) async fn item_record_is_for_callers_works_and_for_tokens_that_were_given_out(bench: Bench) {
    let called = hold(&bench, "a", None).await;
    let hosted = bench.hold("hosted").await;
    let claim = ItemClaim {
        work: at(&hosted.work),
        step: STEP.to_owned(),
        token: hosted.token,
        keys: vec!["1".to_owned()],
    };
    bench.store.item_claim(claim).await.expect("the store works");
    assert_eq!(record_item(&bench, &hosted, "1", None).await, ItemRecorded::NotHeld);
    let record = ItemRecord {
        work: at(&called.work),
        step: ITEMS.to_owned(),
        token: Token::from_number(called.token.number() + 9),
        item: ItemEffect { key: "1".to_owned(), external_reference: None },
    };
    assert_eq!(bench.store.item_record(record).await.expect("the store works"), ItemRecorded::NotHeld);
    for work in [&hosted, &called] {
        assert_eq!(
            bench.kinds(at(&work.work)).await,
            ["claimed"],
            "nobody held it, so that it is no evidence"
        );
    }
}
