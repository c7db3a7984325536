//! The same text to the same recipient: it goes out once within its time, whatever the rows are called.

use crate::conformance::harness::{
    Bench, ELSEWHERE, LEASE_MS, SAME_TEXT_MS, SPACE, UNWELL, actor, again, at, blocked, done_with, held_row,
    in_doubt, row, row_id, row_ref, saying, sent, take,
};
use onceward::identity::key::RowId;
use onceward::store::approval::Approved;
use onceward::store::claim::{Arrival, Claim};
use onceward::store::operate::{Decided, RowDecision};
use onceward::store::outbox::{Approval, NewRow, RowOutcome, RowState, Take};
use onceward::store::work::{Collected, Settlement};

async fn cancel(bench: &Bench, id: &str) {
    let decided = bench.store.outbox_decide(row_ref(id), RowDecision::Cancel, actor()).await;
    assert_eq!(decided.expect("the store works"), Decided::Applied);
}

/// Where a row stands, and which one says the same.
async fn standing(bench: &Bench, id: &str) -> (RowState, Option<RowId>) {
    let row = bench.row(id).await;
    (row.state, row.suppressed_by)
}

/// Rows of these ids, which all say "hi" to one recipient.
fn twins(ids: &[&str]) -> Vec<NewRow> {
    ids.iter().map(|id| saying("hi", row(id, "{}"))).collect()
}

pub(super) async fn outbox_take_s22_gives_nobody_the_same_text_twice(bench: Bench) {
    let storm = |round: &str| -> Vec<NewRow> {
        let to = |n: usize| saying(&format!("hi {n}"), row(&format!("{round} {n}"), "{}"));
        (0..400).map(to).collect()
    };
    bench.enqueue(storm("first")).await;
    let sent_by_now = async || {
        let mut ids = Vec::new();
        loop {
            let taken = bench.take_rows(take()).await;
            if taken.is_empty() {
                return ids;
            }
            for sending in taken {
                bench.settle_row(&sending, sent()).await;
                ids.push(sending.row.id);
            }
        }
    };
    // The queue delivers all of them again, under ids of their own, while half of them are still here.
    for sending in bench.take_rows(Take { limit: 200, ..take() }).await {
        bench.settle_row(&sending, sent()).await;
    }
    bench.enqueue(storm("second")).await;
    assert_eq!(sent_by_now().await.len(), 200, "the rest of the first ones");
    bench.advance(SAME_TEXT_MS - 1);
    bench.enqueue(storm("third")).await;
    assert!(sent_by_now().await.is_empty());
    let counts = bench.store.outbox_counts(SPACE).await.expect("the store works");
    assert_eq!((counts.of(RowState::Sent), counts.of(RowState::Suppressed)), (400, 800));
    bench.advance(1);
    bench.enqueue(storm("fourth")).await;
    assert_eq!(sent_by_now().await.len(), 400, "the time is over, so it is said again");
}

pub(super) async fn outbox_take_takes_one_of_those_that_came_together(bench: Bench) {
    bench.enqueue(twins(&["1", "2", "3"])).await;
    assert_eq!(bench.take_row().await.row, row_ref("1"));
    for id in ["2", "3"] {
        assert_eq!(standing(&bench, id).await, (RowState::Suppressed, Some(row_id("1"))));
    }
}

pub(super) async fn outbox_take_of_another_recipient_destination_or_namespace_is_not_suppressed(
    bench: Bench,
) {
    bench.enqueue(twins(&["1"])).await;
    let mail = NewRow { destination: "mail".to_owned(), ..twins(&["mail"]).remove(0) };
    bench.enqueue(vec![saying("hi to somebody else", row("2", "{}")), row("no text", "{}"), mail]).await;
    let arrival =
        Arrival { namespace: ELSEWHERE.to_owned(), ..crate::conformance::harness::arrival("there") };
    let Claim::Acquired(there) = bench.claim(arrival).await else { panic!("the work is free") };
    let outcome = done_with(Collected { rows: twins(&["there"]), ..Collected::default() });
    let settlement = Settlement {
        work: at(&there.work),
        token: there.token,
        outcome,
        notes: Vec::new(),
        replays: Vec::new(),
    };
    bench.store.work_settle(settlement).await.expect("the store works");
    assert_eq!(bench.take_ids(take()).await, ["1", "2", "no text"].map(row_id));
    for order in [
        Take { destination: "mail".to_owned(), ..take() },
        Take { namespace: ELSEWHERE.to_owned(), ..take() },
    ] {
        assert_eq!(bench.take_rows(order).await.len(), 1);
    }
}

pub(super) async fn outbox_take_of_the_same_text_waits_for_no_window_while_the_first_is_here(bench: Bench) {
    bench
        .enqueue(twins(&["held"]).into_iter().map(crate::conformance::harness::needs_approval).collect())
        .await;
    bench.advance(100 * SAME_TEXT_MS);
    bench.enqueue(twins(&["second"])).await;
    assert_eq!(standing(&bench, "second").await, (RowState::Suppressed, Some(row_id("held"))));
}

pub(super) async fn outbox_decide_cancel_lets_the_next_of_a_chain_go(bench: Bench) {
    let work = bench.enqueue(twins(&["1", "2", "3"])).await;
    cancel(&bench, "1").await;
    assert_eq!(standing(&bench, "2").await, (RowState::Pending, None));
    assert_eq!(standing(&bench, "3").await, (RowState::Suppressed, Some(row_id("2"))));
    cancel(&bench, "2").await;
    assert_eq!(standing(&bench, "3").await, (RowState::Pending, None));
    assert_eq!(bench.take_row().await.row, row_ref("3"));
    let released = bench.kinds(work).await.into_iter().filter(|kind| kind == "released").count();
    assert_eq!(released, 2);
}

pub(super) async fn outbox_decide_cancel_of_a_suppressed_row_lets_nobody_go(bench: Bench) {
    bench.enqueue(twins(&["1", "2", "3"])).await;
    cancel(&bench, "2").await;
    assert_eq!(standing(&bench, "3").await, (RowState::Suppressed, Some(row_id("1"))));
    assert_eq!(bench.take_row().await.row, row_ref("1"));
}

pub(super) async fn outbox_decide_cancel_lets_a_row_back_that_still_needs_its_approval(bench: Bench) {
    bench.enqueue(vec![saying("hi", row("1", "{}")), saying("hi", held_row("2"))]).await;
    cancel(&bench, "1").await;
    assert_eq!(standing(&bench, "2").await, (RowState::Held, None));
    assert!(bench.take_rows(take()).await.is_empty());
    assert_eq!(bench.approve(row_id("2")).await, Approved::Applied);
    assert_eq!(bench.take_row().await.row, row_ref("2"));
}

pub(super) async fn outbox_decide_cancel_of_what_may_have_been_applied_lets_nobody_say_it_again(
    bench: Bench,
) {
    let blocked_in_doubt =
        RowOutcome::Blocked { cause: "used up".to_owned(), maybe_applied: true, health: UNWELL };
    for (id, outcome) in [("doubt", in_doubt()), ("used up", blocked_in_doubt)] {
        let rows = ["", " again", " later"].map(|more| format!("{id}{more}"));
        let twin = |name: &str| saying(id, row(name, "{}"));
        bench.enqueue(vec![twin(&rows[0]), twin(&rows[1])]).await;
        bench.settle_row(&bench.take_row().await, outcome).await;
        cancel(&bench, id).await;
        bench.enqueue(vec![twin(&rows[2])]).await;
        for name in &rows[1..] {
            assert_eq!(standing(&bench, name).await, (RowState::Suppressed, Some(row_id(id))));
        }
    }
    bench.advance(SAME_TEXT_MS);
    bench.enqueue(vec![saying("doubt", row("after its time", "{}"))]).await;
    assert_eq!(bench.take_row().await.row, row_ref("after its time"));
}

pub(super) async fn outbox_decide_cancel_of_what_certainly_was_not_applied_lets_the_next_go(bench: Bench) {
    bench.enqueue(twins(&["1", "2"])).await;
    bench.settle_row(&bench.take_row().await, blocked()).await;
    assert_eq!(standing(&bench, "2").await.0, RowState::Suppressed, "a blocked row has not ended");
    cancel(&bench, "1").await;
    assert_eq!(bench.take_row().await.row, row_ref("2"));
}

pub(super) async fn outbox_decide_sent_goes_on_suppressing(bench: Bench) {
    bench.enqueue(twins(&["1", "2"])).await;
    bench.settle_row(&bench.take_row().await, in_doubt()).await;
    let said = RowDecision::Sent { external_reference: Some("seen there".to_owned()) };
    bench.store.outbox_decide(row_ref("1"), said, actor()).await.expect("the store works");
    bench.enqueue(twins(&["3"])).await;
    for id in ["2", "3"] {
        assert_eq!(standing(&bench, id).await, (RowState::Suppressed, Some(row_id("1"))));
    }
}

pub(super) async fn outbox_settle_of_the_first_leaves_the_others_suppressed(bench: Bench) {
    bench.enqueue(twins(&["1", "2"])).await;
    bench.settle_row(&bench.take_row().await, again(0, true)).await;
    bench.advance(LEASE_MS);
    bench.settle_row(&bench.take_row().await, sent()).await;
    let bench = bench.reopen().await;
    assert_eq!(standing(&bench, "2").await, (RowState::Suppressed, Some(row_id("1"))));
    assert!(bench.take_rows(take()).await.is_empty());
}

pub(super) async fn outbox_expire_lets_the_suppressed_one_go(bench: Bench) {
    let approval = Approval { reason: "it speaks".to_owned(), expires_after_ms: Some(1_000) };
    let first = NewRow { approval: Some(approval), ..twins(&["1"]).remove(0) };
    bench.enqueue(vec![first]).await;
    bench.enqueue(twins(&["2"])).await;
    bench.advance(1_000);
    assert_eq!(bench.store.outbox_expire(SPACE).await.expect("the store works"), [row_id("1")]);
    assert_eq!(bench.take_row().await.row, row_ref("2"));
}
