//! Approvals and edits: a person's word binds one payload, and an edit needs a word of its own.

use crate::conformance::harness::{
    Bench, CRM, ELSEWHERE, LEASE_MS, SPACE, actor, again, edited, held_row, in_line, needs_approval, row,
    row_id, row_ref, same_text, saying, sent, take,
};
use onceward::identity::key::RowId;
use onceward::store::approval::{Approved, Edit, Edited};
use onceward::store::operate::{Actor, Decided, RowDecision};
use onceward::store::outbox::{Approval, FoundRow, NewRow, RowRef, RowState};
use onceward::store::pause::PauseScope;
use onceward::store::work::{Collected, Settled};
use support::sim_clock::START_MS;

/// A held row that can be approved for so long.
fn held_for(id: &str, expires_after_ms: i64) -> NewRow {
    let approval = Approval { reason: "it speaks".to_owned(), expires_after_ms: Some(expires_after_ms) };
    NewRow { approval: Some(approval), ..row(id, "{}") }
}

/// The id of the revision that takes the place of this row.
async fn successor(bench: &Bench, id: RowId, edit: Edit) -> RowId {
    match bench.edit(id, edit).await {
        Edited::Applied { row, .. } => row,
        other => panic!("it was not edited: {other:?}"),
    }
}

pub(super) async fn outbox_approve_lets_exactly_this_payload_go(bench: Bench) {
    let work = bench.enqueue(vec![needs_approval(row("r", r#"{ "n":1.0 }"#))]).await;
    assert!(bench.take_rows(take()).await.is_empty(), "a held row went out");
    assert_eq!(bench.store.outbox_next_due(SPACE, CRM).await.expect("the store works"), None);
    let stored = bench.row("r").await;
    assert_eq!(
        (stored.state, stored.approval_reason.as_deref()),
        (RowState::Held, Some("it speaks to a customer"))
    );
    bench.advance(1_000);
    let approve = |hash| bench.store.outbox_approve(row_ref("r"), Some(hash), actor());
    let other = approve([7; 32]).await.expect("the store works");
    assert_eq!(other, Approved::OtherPayload { payload_hash: stored.payload_hash });
    assert_eq!((bench.row("r").await.state, bench.row("r").await.approved_by), (RowState::Held, None));
    assert_eq!(approve(stored.payload_hash).await.expect("the store works"), Approved::Applied);
    let approved = bench.row("r").await;
    assert_eq!((approved.state, approved.approved_by.as_deref()), (RowState::Pending, Some("Noor")));
    assert_eq!(approved.due_ms, Some(START_MS + 1_000));
    let sending = bench.take_row().await;
    assert_eq!((sending.payload.as_str(), sending.first_attempt_ms), (r#"{ "n":1.0 }"#, START_MS + 1_000));
    let evidence = bench.store.evidence_list(work).await.expect("the store works");
    let word = evidence.iter().find(|line| line.kind == "approved").expect("it stands in the evidence");
    assert!(word.detail.contains("Noor") && word.detail.contains("checked by hand"), "{}", word.detail);
}

pub(super) async fn outbox_approve_twice_is_one_approval(bench: Bench) {
    let work = bench.enqueue(vec![held_row("r")]).await;
    assert_eq!(bench.approve(row_id("r")).await, Approved::Applied);
    let already = Approved::Already { by: "Noor".to_owned(), at_ms: START_MS };
    // A second click of somebody else, while it waits, while it goes out, and when it is sent.
    let click = async || {
        bench.advance(1_000);
        let other = Actor { name: "Sam".to_owned(), reason: "me too".to_owned(), action: None };
        assert_eq!(
            bench.store.outbox_approve(row_ref("r"), None, other).await.expect("the store works"),
            already
        );
    };
    click().await;
    let sending = bench.take_row().await;
    click().await;
    bench.settle_row(&sending, sent()).await;
    click().await;
    let stored = bench.row("r").await;
    assert_eq!((stored.state, stored.approved_by.as_deref()), (RowState::Sent, Some("Noor")));
    let words = bench.kinds(work).await.into_iter().filter(|kind| kind == "approved").count();
    assert_eq!(words, 1);
}

pub(super) async fn outbox_approve_of_an_edited_row_names_its_successor(bench: Bench) {
    bench.enqueue(vec![held_row("r")]).await;
    let second = successor(&bench, row_id("r"), edited(r#"{"v":2}"#)).await;
    assert_eq!(bench.approve(row_id("r")).await, Approved::Superseded { by: second });
    let third = successor(&bench, second, edited(r#"{"v":3}"#)).await;
    for old in [row_id("r"), second] {
        assert_eq!(bench.approve(old).await, Approved::Superseded { by: third });
        assert_eq!(bench.edit(old, edited("{}")).await, Edited::Superseded { by: third });
    }
    assert!(bench.take_rows(take()).await.is_empty(), "nothing was approved");
    assert_eq!(bench.approve(third).await, Approved::Applied);
    assert_eq!(bench.take_row().await.payload, r#"{"v":3}"#);
}

pub(super) async fn outbox_approve_after_its_time_is_too_late(bench: Bench) {
    bench.enqueue(vec![held_for("late", 1_000), held_for("early", 1_001), held_row("patient")]).await;
    assert_eq!(bench.row("late").await.approval_until_ms, Some(START_MS + 1_000));
    bench.advance(1_000);
    assert_eq!(bench.approve(row_id("late")).await, Approved::Expired { at_ms: START_MS + 1_000 });
    let edit = bench.edit(row_id("late"), edited(r#"{"v":2}"#)).await;
    assert_eq!(edit, Edited::Expired { at_ms: START_MS + 1_000 }, "an edit brought it back");
    assert_eq!(bench.approve(row_id("early")).await, Approved::Applied);
    bench.advance(1_000 * LEASE_MS);
    assert_eq!(bench.approve(row_id("patient")).await, Approved::Applied);
    assert_eq!(bench.take_ids(take()).await, [row_id("early"), row_id("patient")]);
}

pub(super) async fn outbox_approve_of_what_waits_for_no_approval_is_refused(bench: Bench) {
    let twin = saying("hi", held_row("suppressed"));
    bench
        .enqueue(vec![row("pending", "{}"), saying("hi", row("first", "{}")), twin, held_row("cancelled")])
        .await;
    let cancelled = bench.store.outbox_decide(row_ref("cancelled"), RowDecision::Cancel, actor()).await;
    assert_eq!(cancelled.expect("the store works"), Decided::Applied);
    for (id, state) in [
        ("pending", RowState::Pending),
        ("suppressed", RowState::Suppressed),
        ("cancelled", RowState::Cancelled),
    ] {
        assert_eq!(bench.approve(row_id(id)).await, Approved::Refused(state));
        assert_eq!(bench.edit(row_id(id), edited(r#"{"v":2}"#)).await, Edited::Refused(state));
        assert_eq!(bench.row(id).await.approved_by, None);
    }
    assert_eq!(bench.approve(row_id("nothing")).await, Approved::Unknown);
    assert_eq!(bench.edit(row_id("nothing"), edited("{}")).await, Edited::Unknown);
}

pub(super) async fn outbox_approve_shares_nothing_between_namespaces(bench: Bench) {
    bench.enqueue(vec![held_row("r")]).await;
    let elsewhere = RowRef { namespace: ELSEWHERE.to_owned(), ..row_ref("r") };
    let approved = bench.store.outbox_approve(elsewhere.clone(), None, actor()).await;
    assert_eq!(approved.expect("the store works"), Approved::Unknown);
    let edit = bench.store.outbox_edit(elsewhere, edited(r#"{"v":2}"#), actor()).await;
    assert_eq!(edit.expect("the store works"), Edited::Unknown);
    assert!(bench.store.outbox_expire(ELSEWHERE).await.expect("the store works").is_empty());
    assert_eq!(bench.row("r").await.state, RowState::Held);
}

pub(super) async fn outbox_approve_holds_after_reopening(bench: Bench) {
    bench.enqueue(vec![held_row("approved"), held_row("held"), held_row("edited")]).await;
    bench.approve(row_id("approved")).await;
    let next = successor(&bench, row_id("edited"), edited(r#"{"v":2}"#)).await;
    let bench = bench.reopen().await;
    assert_eq!(bench.take_row().await.row, row_ref("approved"));
    assert_eq!(bench.state(next).await, RowState::Held);
    assert_eq!(bench.approve(row_id("edited")).await, Approved::Superseded { by: next });
    assert!(matches!(bench.approve(row_id("approved")).await, Approved::Already { .. }));
}

pub(super) async fn outbox_edit_makes_a_revision_that_is_itself_unapproved(bench: Bench) {
    let work = bench.enqueue(vec![held_for("r", 5_000)]).await;
    bench.advance(1_000);
    let edit = bench.edit(row_id("r"), edited(r#"{"v":2}"#)).await;
    let Edited::Applied { row: id, revision: 2, state: RowState::Held } = edit else { panic!("{edit:?}") };
    // The key that goes out is another one, so that no receiver takes it for the first payload.
    assert_ne!(id, row_id("r"));
    let all = bench.rows().await;
    let [first, second] = &all[..] else { panic!("{all:?}") };
    assert_eq!((first.state, first.revision, first.payload.as_str()), (RowState::Superseded, 1, "{}"));
    assert!(first.cause.as_deref().is_some_and(|why| why.contains("Noor") && why.contains(&id.to_string())));
    assert_eq!((second.row_id, second.revision, second.payload.as_str()), (id, 2, r#"{"v":2}"#));
    assert_eq!((second.approved_by.as_deref(), second.slot.as_str()), (None, first.slot.as_str()));
    assert_eq!(second.approval_until_ms, Some(START_MS + 6_000), "the person has as long as before");
    assert!(bench.take_rows(take()).await.is_empty());
    assert_eq!(bench.approve(id).await, Approved::Applied);
    assert_eq!(bench.take_row().await.row.id, id);
    let kinds = bench.kinds(work).await;
    assert!(
        ["superseded", "enqueued", "approved", "sending"]
            .iter()
            .all(|kind| kinds.contains(&(*kind).to_owned()))
    );
}

pub(super) async fn outbox_edit_with_the_same_payload_changes_nothing(bench: Bench) {
    bench.enqueue(vec![held_row("r")]).await;
    assert_eq!(bench.edit(row_id("r"), edited("{}")).await, Edited::Unchanged);
    assert_eq!((bench.rows().await.len(), bench.row("r").await.state), (1, RowState::Held));
}

pub(super) async fn outbox_edit_of_an_approved_row_is_refused(bench: Bench) {
    bench.enqueue(vec![held_row("r")]).await;
    bench.approve(row_id("r")).await;
    let check = async |state: RowState| {
        assert_eq!(bench.edit(row_id("r"), edited(r#"{"v":2}"#)).await, Edited::Refused(state));
    };
    check(RowState::Pending).await;
    let sending = bench.take_row().await;
    check(RowState::Sending).await;
    bench.settle_row(&sending, again(0, false)).await;
    bench.settle_row(&bench.take_row().await, sent()).await;
    check(RowState::Sent).await;
    assert_eq!(bench.rows().await.len(), 1);
}

pub(super) async fn outbox_edit_maps_the_slot_to_its_live_revision(bench: Bench) {
    bench.enqueue(vec![held_row("r")]).await;
    let second = successor(&bench, row_id("r"), edited(r#"{"v":2}"#)).await;
    let third = successor(&bench, second, edited(r#"{"v":3}"#)).await;
    let first_hash = row("r", "{}").payload_hash;
    let found = bench.store.outbox_find(SPACE, row_id("r")).await.expect("the store works");
    assert_eq!(found, Some(FoundRow { payload_hash: first_hash, live: third }));
    // A retry of the step enqueues what it enqueued first: that is no conflict, and nothing new.
    let retry = Collected { rows: vec![held_row("r")], ..Collected::default() };
    bench.finish("retry", retry).await;
    assert_eq!(bench.rows().await.len(), 3);
    // What a person wrote is not what the step wrote: the first payload stands for the step.
    let held = bench.hold("other").await;
    let other = Collected { rows: vec![needs_approval(row("r", r#"{"v":3}"#))], ..Collected::default() };
    let settled = bench.settle(&held, crate::conformance::harness::done_with(other)).await;
    assert!(matches!(settled, Settled::RowConflict { .. }), "{settled:?}");
    bench.approve(third).await;
    assert_eq!(bench.take_ids(take()).await, [third]);
}

pub(super) async fn outbox_edit_keeps_the_place_in_line(bench: Bench) {
    let rows = ["1", "2", "3"].map(|id| needs_approval(in_line(id, "k")));
    bench.enqueue(rows.into()).await;
    // The head is edited, and then one in the middle.
    let head = successor(&bench, row_id("1"), edited(r#"{"v":1}"#)).await;
    let middle = successor(&bench, row_id("2"), edited(r#"{"v":2}"#)).await;
    for id in [row_id("3"), middle, head] {
        assert_eq!(bench.approve(id).await, Approved::Applied);
    }
    for id in [head, middle, row_id("3")] {
        let sending = bench.take_row().await;
        assert_eq!(sending.row.id, id);
        let waiting: Vec<_> = bench.rows().await.into_iter().filter_map(|row| row.behind).collect();
        assert!(waiting.iter().all(|behind| *behind == id), "{waiting:?}");
        bench.settle_row(&sending, sent()).await;
    }
}

pub(super) async fn outbox_edit_into_what_another_row_says_is_suppressed_and_lets_the_line_go_on(
    bench: Bench,
) {
    bench.enqueue(vec![saying("hi", row("first", "{}"))]).await;
    bench.enqueue(vec![needs_approval(in_line("head", "k")), in_line("next", "k")]).await;
    let edit = Edit { same: Some(same_text("hi")), ..edited(r#"{"text":"hi"}"#) };
    let edit = bench.edit(row_id("head"), edit).await;
    let Edited::Applied { row: id, state: RowState::Suppressed, .. } = edit else { panic!("{edit:?}") };
    assert_eq!(bench.row("next").await.behind, None, "nobody is ahead of it any more");
    // Where the other one is stopped, it goes back to its place, and still needs its approval.
    let cancelled = bench.store.outbox_decide(row_ref("first"), RowDecision::Cancel, actor()).await;
    assert_eq!(cancelled.expect("the store works"), Decided::Applied);
    assert_eq!(bench.state(id).await, RowState::Held);
    assert_eq!(bench.row("next").await.behind, Some(id));
    assert!(bench.take_rows(take()).await.is_empty());
    assert_eq!(bench.approve(id).await, Approved::Applied);
    assert_eq!(bench.take_row().await.row.id, id);
}

pub(super) async fn outbox_edit_lets_go_what_the_first_text_suppressed(bench: Bench) {
    bench.enqueue(vec![saying("hi", held_row("first")), saying("hi", row("second", "{}"))]).await;
    assert_eq!(bench.row("second").await.state, RowState::Suppressed);
    let other = Edit { same: Some(same_text("bye")), ..edited(r#"{"text":"bye"}"#) };
    successor(&bench, row_id("first"), other).await;
    assert_eq!(bench.take_row().await.row, row_ref("second"));
    // An edit that leaves the text as it is goes on suppressing.
    bench.enqueue(vec![saying("yo", held_row("third")), saying("yo", row("fourth", "{}"))]).await;
    let same = Edit { same: Some(same_text("yo")), ..edited(r#"{"text":"yo","subject":"new"}"#) };
    let heir = successor(&bench, row_id("third"), same).await;
    let fourth = bench.row("fourth").await;
    assert_eq!((fourth.state, fourth.suppressed_by), (RowState::Suppressed, Some(heir)));
}

pub(super) async fn outbox_expire_cancels_what_nobody_approved_in_time(bench: Bench) {
    let line = NewRow { ordering_key: Some("k".to_owned()), ..held_for("head", 1_000) };
    let work =
        bench.enqueue(vec![line, in_line("next", "k"), held_for("later", 2_000), held_row("never")]).await;
    bench.advance(999);
    assert!(bench.store.outbox_expire(SPACE).await.expect("the store works").is_empty());
    bench.advance(1);
    assert_eq!(bench.store.outbox_expire(SPACE).await.expect("the store works"), [row_id("head")]);
    assert!(bench.store.outbox_expire(SPACE).await.expect("the store works").is_empty(), "once");
    let head = bench.row("head").await;
    assert_eq!(
        (head.state, head.cause.as_deref()),
        (RowState::Cancelled, Some("nobody approved it in time"))
    );
    assert_eq!(bench.approve(row_id("head")).await, Approved::Refused(RowState::Cancelled));
    assert_eq!(bench.take_row().await.row, row_ref("next"), "its line goes on");
    for id in ["later", "never"] {
        assert_eq!(bench.row(id).await.state, RowState::Held);
    }
    assert!(bench.kinds(work).await.contains(&"expired".to_owned()));
}

pub(super) async fn outbox_expire_goes_by_time_that_a_pause_does_not_stop(bench: Bench) {
    bench.enqueue(vec![held_for("r", 1_000)]).await;
    bench.store.pause_set(SPACE, PauseScope::Everything, actor()).await.expect("the store works");
    bench.advance(1_000);
    assert!(bench.unpause(SPACE, PauseScope::Everything).await);
    assert_eq!(bench.store.outbox_expire(SPACE).await.expect("the store works"), [row_id("r")]);
}

pub(super) async fn outbox_expire_comes_to_its_end_in_batches(bench: Bench) {
    let rows = (0..250).map(|n| held_for(&n.to_string(), 1_000)).collect();
    bench.enqueue(rows).await;
    bench.advance(1_000);
    let mut expired = 0;
    loop {
        match bench.store.outbox_expire(SPACE).await.expect("the store works").len() {
            0 => break,
            some => expired += some,
        }
    }
    assert_eq!(expired, 250);
}
