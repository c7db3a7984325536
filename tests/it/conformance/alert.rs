//! Alerts: what stops is told once, each time it stops.

use crate::conformance::harness::{
    Bench, CRM, ELSEWHERE, SPACE, actor, at, blocked, done, retry, row, rows, take,
};
use onceward::store::operate::WorkDecision;
use onceward::store::outbox::{NewRow, OutboxFilter, OutboxRow, Take};
use onceward::store::work::{Collected, Outcome};

async fn collect(bench: &Bench) -> u64 {
    bench.store.alert_collect(SPACE, "ops").await.expect("the store works")
}

/// The alerts, oldest first.
async fn alerts(bench: &Bench) -> Vec<OutboxRow> {
    let all = OutboxFilter::all(SPACE, 1_000);
    let mut alerts = bench.store.outbox_list(all).await.expect("the store works");
    alerts.retain(|row| row.destination == "ops");
    alerts.reverse();
    alerts
}

pub(super) async fn alert_collect_tells_of_each_stop_once(bench: Bench) {
    let dead = || Outcome::Dead { cause: "used up".to_owned() };
    let held = bench.hold("a").await;
    assert_eq!(collect(&bench).await, 0, "it runs");
    bench.settle(&held, dead()).await;
    assert_eq!(bench.store.alert_collect(ELSEWHERE, "ops").await.expect("the store works"), 0);
    assert_eq!((collect(&bench).await, collect(&bench).await), (1, 0));
    let told = alerts(&bench).await.remove(0);
    for words in ["dead", "used up", "onceward work replay", &held.work.work_id.to_string()] {
        assert!(told.payload.contains(words), "{words}: {}", told.payload);
    }
    // It goes on, and stops again: that is another stop.
    bench.advance(1);
    let replay = WorkDecision::Replay { due_in_ms: 0 };
    bench.store.work_decide(at(&held.work), replay, actor()).await.expect("the store works");
    bench.settle(&*bench.hold("a").await, dead()).await;
    assert_eq!((collect(&bench).await, alerts(&bench).await.len()), (1, 2));
    // What goes on before anybody was told is told to nobody.
    let review = bench.hold("b").await;
    bench.settle(&review, Outcome::Review { cause: "unsure".to_owned() }).await;
    let replay = WorkDecision::Replay { due_in_ms: 0 };
    bench.store.work_decide(at(&review.work), replay, actor()).await.expect("the store works");
    assert_eq!(collect(&bench).await, 0);
    bench.settle(&*bench.hold("c").await, retry(0)).await;
    bench.settle(&*bench.hold("d").await, done()).await;
    assert_eq!(collect(&bench).await, 0, "a retry and an end are no stops");
}

pub(super) async fn alert_collect_tells_of_rows_and_not_of_its_own(bench: Bench) {
    bench.finish("a", rows(&["r"])).await;
    let taken = bench.take_row().await;
    bench.store.outbox_settle(taken.row, taken.token, blocked()).await.expect("the store works");
    assert_eq!(collect(&bench).await, 1);
    let told = alerts(&bench).await.remove(0);
    for words in ["blocked", "400", "onceward outbox resolve"] {
        assert!(told.payload.contains(words), "{words}: {}", told.payload);
    }
    // The alert itself can't be delivered.
    let alert = bench.take_rows(Take { destination: "ops".to_owned(), ..take() }).await.remove(0);
    bench.store.outbox_settle(alert.row, alert.token, blocked()).await.expect("the store works");
    assert_eq!((collect(&bench).await, collect(&bench).await, alerts(&bench).await.len()), (1, 0, 1));
    // One that could be told beside it is told all the same.
    bench.finish("b", Collected { rows: vec![row("s", "{}")], ..Collected::default() }).await;
    let taken = bench.take_row().await;
    bench.store.outbox_settle(taken.row, taken.token, blocked()).await.expect("the store works");
    assert_eq!(collect(&bench).await, 1);
}

pub(super) async fn alert_collect_goes_on_past_what_nobody_is_told_of(bench: Bench) {
    // Stops are found by their ids: the one that is told of comes after all the others.
    let mut rows: Vec<NewRow> = (0..250).map(|n| row(&n.to_string(), "{}")).collect();
    rows.sort_by_key(|row| row.id);
    for own in rows.iter_mut().rev().skip(1) {
        own.destination = "ops".to_owned();
    }
    bench.enqueue(rows).await;
    for destination in ["ops", CRM] {
        let order = Take { destination: destination.to_owned(), limit: 250, ..take() };
        for sending in bench.take_rows(order).await {
            bench.settle_row(&sending, blocked()).await;
        }
    }
    let mut passes = 0;
    while collect(&bench).await > 0 {
        passes += 1;
        assert!(passes <= 10, "it spins");
    }
    let told = alerts(&bench).await.into_iter().filter(|alert| alert.slot.starts_with("alert:")).count();
    assert_eq!(told, 1, "the other destination's row is told of");
}
