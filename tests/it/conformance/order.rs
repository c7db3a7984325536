//! Ordering keys: rows of one line leave in the order in which they were committed, through retries, crashes and people.

use crate::conformance::harness::{
    Bench, CRM, ELSEWHERE, LEASE_MS, SPACE, actor, again, at, blocked, done_with, held, held_row, in_doubt,
    in_line, needs_approval, row, row_id, row_ref, saying, sent, take,
};
use onceward::store::claim::{Arrival, Claim};
use onceward::store::operate::{Decided, RowDecision};
use onceward::store::outbox::{NewRow, RowOutcome, RowState, Take};
use onceward::store::work::{Collected, Settlement};
use support::sim_clock::START_MS;

async fn decide(bench: &Bench, id: &str, decision: RowDecision) {
    let decided = bench.store.outbox_decide(row_ref(id), decision, actor()).await.expect("the store works");
    assert_eq!(decided, Decided::Applied);
}

pub(super) async fn outbox_take_of_a_line_takes_its_head_alone(bench: Bench) {
    bench.enqueue(vec![in_line("1", "k"), in_line("x", "other"), in_line("2", "k"), row("free", "{}")]).await;
    bench.enqueue(vec![in_line("3", "k")]).await;
    for (id, behind) in [("1", None), ("x", None), ("2", Some("1")), ("free", None), ("3", Some("1"))] {
        assert_eq!(bench.row(id).await.behind, behind.map(row_id), "{id}");
    }
    let taken = bench.take_rows(take()).await;
    let ids: Vec<_> = taken.iter().map(|sending| sending.row.id).collect();
    assert_eq!(ids, [row_id("1"), row_id("x"), row_id("free")]);
    assert!(bench.take_rows(take()).await.is_empty(), "one of a line is under way at a time");
    bench.settle_row(&taken[0], sent()).await;
    assert_eq!((bench.row("2").await.behind, bench.row("3").await.behind), (None, Some(row_id("2"))));
    bench.settle_row(&bench.take_row().await, sent()).await;
    assert_eq!(bench.take_row().await.row, row_ref("3"));
}

pub(super) async fn outbox_take_waits_behind_a_head_that_has_not_come_to_its_end(bench: Bench) {
    let check = async |head: &str, next: &str, state: RowState| {
        assert_eq!(bench.row(head).await.state, state);
        assert_eq!(bench.row(next).await.behind, Some(row_id(head)), "{state:?}");
    };
    bench.enqueue(vec![needs_approval(in_line("held", "held")), in_line("h", "held")]).await;
    for key in ["waits", "sends", "blocked", "doubt"] {
        bench.enqueue(vec![in_line(key, key), in_line(&format!("after {key}"), key)]).await;
    }
    let outcomes = [Some(again(1_000 * LEASE_MS, true)), None, Some(blocked()), Some(in_doubt())];
    for (sending, outcome) in bench.take_rows(take()).await.iter().zip(outcomes) {
        if let Some(outcome) = outcome {
            bench.settle_row(sending, outcome).await;
        }
    }
    check("held", "h", RowState::Held).await;
    check("waits", "after waits", RowState::Pending).await;
    check("sends", "after sends", RowState::Sending).await;
    check("blocked", "after blocked", RowState::Blocked).await;
    check("doubt", "after doubt", RowState::InDoubt).await;
    assert!(bench.take_rows(take()).await.is_empty(), "a follower went out");
    let due = bench.store.outbox_next_due(SPACE, CRM).await.expect("the store works").map(|due| due.at_ms);
    assert_eq!(due, Some(START_MS + LEASE_MS), "only the one under way has a time");
}

pub(super) async fn outbox_take_goes_on_with_the_next_where_the_head_has_ended(bench: Bench) {
    for key in ["sent", "cancelled", "said"] {
        let rows = ["a", "b", "c"].map(|place| in_line(&format!("{key} {place}"), key));
        bench.enqueue(rows.into()).await;
    }
    let taken = bench.take_rows(take()).await;
    bench.settle_row(&taken[0], sent()).await;
    bench.settle_row(&taken[1], blocked()).await;
    bench.settle_row(&taken[2], in_doubt()).await;
    decide(&bench, "cancelled a", RowDecision::Cancel).await;
    decide(&bench, "said a", RowDecision::Sent { external_reference: None }).await;
    assert_eq!(bench.take_ids(take()).await, ["sent b", "cancelled b", "said b"].map(row_id));
    for key in ["sent", "cancelled", "said"] {
        assert_eq!(bench.row(&format!("{key} c")).await.behind, Some(row_id(&format!("{key} b"))));
    }
}

pub(super) async fn outbox_take_is_not_moved_by_the_end_of_a_follower(bench: Bench) {
    bench.enqueue(vec![needs_approval(in_line("head", "k")), in_line("2", "k"), in_line("3", "k")]).await;
    decide(&bench, "2", RowDecision::Cancel).await;
    assert_eq!(bench.row("3").await.behind, Some(row_id("head")));
    assert!(bench.take_rows(take()).await.is_empty());
    bench.approve(row_id("head")).await;
    bench.settle_row(&bench.take_row().await, sent()).await;
    assert_eq!(bench.take_row().await.row, row_ref("3"));
}

pub(super) async fn outbox_take_keeps_the_order_through_retries_and_a_persons_word(bench: Bench) {
    bench.enqueue(vec![in_line("1", "k"), in_line("2", "k")]).await;
    for outcome in [again(1_000, false), again(1_000, true), blocked()] {
        bench.settle_row(&bench.take_row().await, outcome).await;
        bench.advance(1_000);
    }
    assert!(bench.take_rows(take()).await.is_empty());
    decide(&bench, "1", RowDecision::Again { due_in_ms: 0 }).await;
    let sending = bench.take_row().await;
    assert_eq!(sending.row, row_ref("1"));
    // A destination that refuses us gives the attempt back, and not the place.
    bench.settle_row(&sending, RowOutcome::Paused { cause: "401".to_owned() }).await;
    let crm = onceward::store::pause::PauseScope::Destination(CRM.to_owned());
    assert!(bench.unpause(SPACE, crm).await);
    bench.settle_row(&bench.take_row().await, sent()).await;
    assert_eq!(bench.take_row().await.row, row_ref("2"));
}

pub(super) async fn outbox_take_s09_frees_the_line_of_a_sender_that_died(bench: Bench) {
    bench.enqueue(vec![in_line("1", "k"), in_line("2", "k")]).await;
    let dead = bench.take_row().await;
    bench.advance(LEASE_MS - 1);
    assert!(bench.take_rows(take()).await.is_empty(), "its lease has not ended");
    bench.advance(1);
    let next = bench.take_row().await;
    assert_eq!((next.row.clone(), next.attempt, next.maybe_applied), (row_ref("1"), 2, true));
    assert_eq!(bench.row("2").await.behind, Some(row_id("1")), "order holds");
    // The dead one was only slow: its word changes nothing, and frees nobody.
    assert_eq!(bench.settle_row(&dead, sent()).await, onceward::store::outbox::RowSettled::LeaseLost);
    assert_eq!(bench.row("2").await.behind, Some(row_id("1")));
    bench.settle_row(&next, sent()).await;
    assert_eq!(bench.take_row().await.row, row_ref("2"));
}

pub(super) async fn outbox_take_keeps_the_order_after_reopening(bench: Bench) {
    bench.enqueue(vec![in_line("1", "k"), in_line("2", "k"), in_line("3", "k")]).await;
    bench.take_row().await;
    let bench = bench.reopen().await;
    let next = bench.take_row().await;
    assert_eq!((next.row.clone(), next.maybe_applied), (row_ref("1"), true));
    bench.settle_row(&next, sent()).await;
    let bench = bench.reopen().await;
    assert_eq!(bench.take_row().await.row, row_ref("2"));
    assert_eq!(bench.row("3").await.behind, Some(row_id("2")));
}

pub(super) async fn outbox_take_gives_a_follower_its_whole_time(bench: Bench) {
    bench.enqueue(vec![needs_approval(in_line("1", "k")), in_line("2", "k")]).await;
    bench.advance(1_000 * LEASE_MS);
    bench.approve(row_id("1")).await;
    bench.settle_row(&bench.take_row().await, sent()).await;
    bench.advance(1_000);
    let follower = bench.take_row().await;
    assert_eq!(follower.row, row_ref("2"));
    assert_eq!((follower.attempt, follower.first_attempt_ms), (1, follower.taken_ms), "its time begins now");
    assert_eq!(follower.taken_ms, START_MS + 1_000 * LEASE_MS + 1_000);
}

pub(super) async fn outbox_take_gives_each_destination_and_namespace_lines_of_its_own(bench: Bench) {
    let mail = NewRow { destination: "mail".to_owned(), ..in_line("mail", "k") };
    bench.enqueue(vec![in_line("crm", "k"), mail]).await;
    let arrival =
        Arrival { namespace: ELSEWHERE.to_owned(), ..crate::conformance::harness::arrival("there") };
    let Claim::Acquired(there) = bench.claim(arrival).await else { panic!("the work is free") };
    let collected = Collected { rows: vec![in_line("there", "k")], ..Collected::default() };
    let settlement = Settlement {
        work: at(&there.work),
        token: there.token,
        outcome: done_with(collected),
        notes: Vec::new(),
        replays: Vec::new(),
    };
    bench.store.work_settle(settlement).await.expect("the store works");
    for (order, id) in [
        (take(), "crm"),
        (Take { destination: "mail".to_owned(), ..take() }, "mail"),
        (Take { namespace: ELSEWHERE.to_owned(), ..take() }, "there"),
    ] {
        assert_eq!(bench.take_ids(order).await, [row_id(id)]);
    }
}

pub(super) async fn outbox_take_of_a_line_goes_by_commits_and_not_by_claims(bench: Bench) {
    let first = bench.hold("first").await;
    let second = held(bench.claim(crate::conformance::harness::arrival("second")).await);
    for (work, id) in [(second, "committed first"), (first, "committed last")] {
        let collected = Collected { rows: vec![in_line(id, "k")], ..Collected::default() };
        bench.settle(&work, done_with(collected)).await;
    }
    let sending = bench.take_row().await;
    assert_eq!(sending.row, row_ref("committed first"));
    bench.settle_row(&sending, sent()).await;
    assert_eq!(bench.take_row().await.row, row_ref("committed last"));
}

/// A line of three, of which the first one is suppressed by a held row outside of it.
async fn line_with_a_suppressed_head(bench: &Bench) {
    bench.enqueue(vec![saying("hi", held_row("outside"))]).await;
    bench.enqueue(vec![saying("hi", in_line("1", "k")), in_line("2", "k"), in_line("3", "k")]).await;
    assert_eq!(bench.row("1").await.state, RowState::Suppressed);
    assert_eq!((bench.row("2").await.behind, bench.row("3").await.behind), (None, Some(row_id("2"))));
}

pub(super) async fn outbox_take_lets_a_row_back_into_its_place_before_what_has_not_begun(bench: Bench) {
    line_with_a_suppressed_head(&bench).await;
    decide(&bench, "outside", RowDecision::Cancel).await;
    assert_eq!((bench.row("1").await.state, bench.row("1").await.behind), (RowState::Pending, None));
    for id in ["1", "2", "3"] {
        let sending = bench.take_row().await;
        assert_eq!(sending.row, row_ref(id));
        bench.settle_row(&sending, sent()).await;
    }
}

pub(super) async fn outbox_take_lets_a_row_that_has_begun_come_to_its_end_first(bench: Bench) {
    line_with_a_suppressed_head(&bench).await;
    let begun = bench.take_row().await;
    assert_eq!(begun.row, row_ref("2"));
    decide(&bench, "outside", RowDecision::Cancel).await;
    assert_eq!(bench.row("1").await.behind, Some(row_id("2")));
    bench.settle_row(&begun, again(0, true)).await;
    let begun = bench.take_row().await;
    assert_eq!(begun.row, row_ref("2"), "it may have been applied, so it is brought to its end");
    // The end of another follower does not let anybody pass.
    decide(&bench, "3", RowDecision::Cancel).await;
    assert!(bench.take_rows(take()).await.is_empty());
    bench.settle_row(&begun, sent()).await;
    assert_eq!(bench.take_row().await.row, row_ref("1"));
}
