//! Reading, for people.

use crate::conformance::harness::{
    Bench, CRM, ELSEWHERE, SPACE, STEP, UNWELL, actor, arrival, at, done, done_with, follow_up, held,
    held_row, retry, row, row_id, rows, sent, take,
};
use onceward::identity::key::WorkId;
use onceward::store::claim::Arrival;
use onceward::store::outbox::{DestinationRows, NewRow, OutboxFilter, RowOutcome, RowState, Take};
use onceward::store::pause::PauseScope;
use onceward::store::work::{Collected, Outcome, WorkFilter, WorkRef, WorkState};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};
use std::fmt::Debug;

pub(super) async fn work_list_is_newest_first_and_filtered(bench: Bench) {
    for id in ["1", "2", "3"] {
        let held = bench.hold(id).await;
        bench.settle(&held, if id == "2" { retry(0) } else { done() }).await;
    }
    let other = held(bench.claim(Arrival { step: "other".to_owned(), ..arrival("4") }).await);
    bench.settle(&other, done()).await;
    let all = WorkFilter::all(SPACE, 100);
    let list = async |filter: WorkFilter| -> Vec<String> {
        let works = bench.store.work_list(filter).await.expect("the store works");
        works.into_iter().filter_map(|work| work.event_id).collect()
    };
    assert_eq!(list(all.clone()).await, ["4", "3", "2", "1"]);
    assert_eq!(list(WorkFilter { limit: 2, ..all.clone() }).await, ["4", "3"]);
    assert_eq!(list(WorkFilter { state: Some(WorkState::Done), ..all.clone() }).await, ["4", "3", "1"]);
    let step = Some("other".to_owned());
    assert_eq!(list(WorkFilter { step, state: Some(WorkState::Done), ..all.clone() }).await, ["4"]);
    assert!(list(WorkFilter { namespace: ELSEWHERE.to_owned(), ..all }).await.is_empty());
}

pub(super) async fn work_list_goes_on_where_a_page_ended_whatever_came_meanwhile(bench: Bench) {
    for id in ["1", "2", "3", "4"] {
        let held = bench.hold(id).await;
        bench.settle(&held, if id == "3" { retry(0) } else { done() }).await;
    }
    let page = async |state: Option<WorkState>, before: Option<WorkId>| -> (Vec<String>, Option<WorkId>) {
        let filter = WorkFilter { namespace: SPACE.to_owned(), state, step: None, before, limit: 2 };
        let works = bench.store.work_list(filter).await.expect("the store works");
        let last = works.last().map(|work| work.work_id);
        (works.into_iter().filter_map(|work| work.event_id).collect(), last)
    };
    let (first, last) = page(None, None).await;
    let (done_first, done_last) = page(Some(WorkState::Done), None).await;
    assert_eq!(
        (first, done_first),
        (vec!["4".to_owned(), "3".to_owned()], vec!["4".to_owned(), "2".to_owned()])
    );
    let new = bench.hold("5").await;
    bench.settle(&new, done()).await;
    assert_eq!(page(None, last).await.0, ["2", "1"]);
    assert_eq!(page(Some(WorkState::Done), done_last).await.0, ["1"]);
    // What is open has an index of its own.
    assert_eq!(page(Some(WorkState::Waiting), Some(new.work.work_id)).await.0, ["3"]);
    assert!(page(Some(WorkState::Waiting), last).await.0.is_empty());
    let nowhere = Some(WorkId::from_bytes([7; 32]));
    assert!(page(None, nowhere).await.0.is_empty(), "a page after nothing is none, and not the first one");
}

pub(super) async fn pending_oldest_is_when_the_first_of_what_waits_was_recorded(bench: Bench) {
    let oldest = async || bench.store.pending_oldest(SPACE).await.expect("the store works");
    assert_eq!(oldest().await, None);
    let waits = bench.hold("a").await;
    bench.settle(&waits, retry(0)).await;
    let first_ms = bench.show(at(&waits.work)).await.created_ms;
    assert_eq!(oldest().await, Some(first_ms));
    bench.advance(1_000);
    let with_row = bench.hold("b").await;
    bench.settle(&with_row, done_with(rows(&["r"]))).await;
    assert_eq!(oldest().await, Some(first_ms), "the work still waits");
    let taken = bench.take().await.expect("it is due");
    bench.settle(&taken, done()).await;
    assert_eq!(oldest().await, Some(first_ms + 1_000), "the row still waits");
    assert_eq!(bench.store.pending_oldest(ELSEWHERE).await.expect("the store works"), None);
}

pub(super) async fn ledger_watch_does_not_end_while_the_ledger_works(bench: Bench) {
    let works = async {
        bench.hold("a").await;
        bench.finish("b", Collected::default()).await;
    };
    tokio::select! {
        biased;
        ended = bench.store.ledger_watch() => panic!("{ended:?}"),
        () = works => {}
    }
}

pub(super) async fn ledger_size_grows_with_what_is_kept(bench: Bench) {
    let size = async || {
        let size = bench.store.ledger_size().await.expect("the store works");
        size.ledger_bytes + size.wal_bytes
    };
    let before = size().await;
    let payload = format!("{{\"text\":\"{}\"}}", "a".repeat(100_000));
    held(bench.claim(Arrival { payload, ..arrival("large") }).await);
    assert!(size().await >= before + 100_000);
}

pub(super) async fn work_family_is_all_that_descends_from_a_root(bench: Bench) {
    let root = bench.hold("a").await;
    let outcome = Outcome::Done {
        output: "{}".to_owned(),
        needs_review: None,
        follow_up: Some(follow_up("next", "{}")),
        collected: Collected::default(),
    };
    bench.settle(&root, outcome).await;
    bench.hold("b").await;
    let family = async |namespace: &str| -> Vec<String> {
        let works = bench.store.work_family(namespace, root.work.root_key).await.expect("the store works");
        works.into_iter().map(|work| work.step).collect()
    };
    assert_eq!(family(SPACE).await, [root.work.step.clone(), follow_up("next", "{}").step]);
    assert!(family(ELSEWHERE).await.is_empty());
}

pub(super) async fn work_show_finds_the_work_of_its_namespace(bench: Bench) {
    let held = bench.hold("a").await;
    assert_eq!(bench.show(at(&held.work)).await.readable_key, held.work.readable_key);
    let there = WorkRef { namespace: ELSEWHERE.to_owned(), id: held.work.work_id };
    let unknown = WorkRef { namespace: SPACE.to_owned(), id: WorkId::from_bytes([0; 32]) };
    for missing in [there, unknown] {
        assert!(bench.store.work_show(missing).await.expect("the store works").is_none());
    }
}

/// What programs are shown they can read: the records give themselves back from their JSON.
pub(super) async fn work_show_in_json_reads_back_as_it_was(bench: Bench) {
    fn check<T: Serialize + DeserializeOwned + Debug>(shown: &T) -> Value {
        let json = serde_json::to_value(shown).expect("it can be shown");
        let read: T = serde_json::from_value(json.clone()).expect("what is shown can be read");
        assert_eq!(format!("{read:?}"), format!("{shown:?}"));
        json
    }
    let held = bench.finish("a", rows(&["1", "2"])).await;
    bench.store.pause_set(SPACE, PauseScope::Everything, actor()).await.expect("the store works");
    bench.store.pause_set(SPACE, PauseScope::Step(STEP.to_owned()), actor()).await.expect("the store works");
    let work = check(&bench.show(at(&held.work)).await);
    assert_eq!((&work["state"], &work["work_id"]), (&json!("done"), &json!(held.work.work_id.to_string())));
    let row = check(&bench.row("1").await);
    assert_eq!(row["payload_hash"].as_str().map(str::len), Some(64), "{row}");
    let works = check(&bench.store.work_counts(SPACE).await.expect("the store works"));
    assert_eq!(works, json!({ "by_state": { "done": 1 } }));
    let rows = check(&bench.store.outbox_counts(SPACE).await.expect("the store works"));
    assert_eq!(rows, json!({ "by_state": { "pending": 2 } }));
    check(&bench.store.evidence_list(at(&held.work)).await.expect("the store works"));
    let pauses = check(&bench.store.pause_list(SPACE).await.expect("the store works"));
    assert_eq!((&pauses[0]["scope"], &pauses[1]["name"]), (&json!("everything"), &json!(STEP)));
}

pub(super) async fn work_resolve_takes_the_beginning_of_an_id_or_a_readable_key(bench: Bench) {
    let held = bench.hold("a").await;
    let id = held.work.work_id;
    let resolve = async |text: &str| bench.store.work_resolve(SPACE, text).await.expect("the store works");
    let hex = id.to_string();
    for text in [hex.as_str(), &hex[..8], &hex[..7].to_uppercase(), held.work.readable_key.as_str()] {
        assert_eq!(resolve(text).await, [id], "{text}");
    }
    for text in ["", "%", "_", "zz", &hex[1..], "qualify"] {
        assert!(resolve(text).await.is_empty(), "{text}");
    }
    assert!(bench.store.work_resolve(ELSEWHERE, &hex).await.expect("the store works").is_empty());
}

pub(super) async fn work_counts_are_by_state(bench: Bench) {
    for id in ["1", "2", "3", "4"] {
        let held = bench.hold(id).await;
        let outcome = match id {
            "1" | "2" => done(),
            "3" => Outcome::Dead { cause: "d".to_owned() },
            _ => retry(0),
        };
        bench.settle(&held, outcome).await;
    }
    let counts = bench.store.work_counts(SPACE).await.expect("the store works");
    let expected =
        [(WorkState::Done, 2), (WorkState::Dead, 1), (WorkState::Waiting, 1), (WorkState::Running, 0)];
    for (state, count) in expected {
        assert_eq!(counts.of(state), count, "{state:?}");
    }
    assert!(bench.store.work_counts(ELSEWHERE).await.expect("the store works").by_state.is_empty());
}

pub(super) async fn outbox_list_is_newest_first_and_filtered(bench: Bench) {
    let first = bench.finish("a", rows(&["1", "2"])).await;
    bench.take_rows(take()).await;
    bench.finish("b", rows(&["3"])).await;
    let all = OutboxFilter::all(SPACE, 100);
    let list = async |filter: OutboxFilter| -> Vec<_> {
        bench
            .store
            .outbox_list(filter)
            .await
            .expect("the store works")
            .into_iter()
            .map(|row| row.row_id)
            .collect()
    };
    assert_eq!(list(all.clone()).await, ["3", "2", "1"].map(row_id));
    assert_eq!(list(OutboxFilter { limit: 1, ..all.clone() }).await, [row_id("3")]);
    assert_eq!(list(OutboxFilter { state: Some(RowState::Pending), ..all.clone() }).await, [row_id("3")]);
    assert_eq!(
        list(OutboxFilter { work: Some(first.work.work_id), ..all.clone() }).await,
        ["2", "1"].map(row_id)
    );
    let of = |destination: &str| OutboxFilter { destination: Some(destination.to_owned()), ..all.clone() };
    assert_eq!(list(of(CRM)).await.len(), 3);
    assert!(list(of("elsewhere")).await.is_empty());
    assert!(list(OutboxFilter { namespace: ELSEWHERE.to_owned(), ..all }).await.is_empty());
}

pub(super) async fn outbox_list_goes_on_where_a_page_ended_whatever_came_meanwhile(bench: Bench) {
    let work = bench.finish("a", rows(&["1", "2", "3"])).await;
    let page = async |filter: OutboxFilter| -> Vec<_> {
        let rows = bench.store.outbox_list(filter).await.expect("the store works");
        rows.into_iter().map(|row| row.row_id).collect()
    };
    let after = |id: &str| OutboxFilter { before: Some(row_id(id)), ..OutboxFilter::all(SPACE, 2) };
    assert_eq!(page(OutboxFilter::all(SPACE, 2)).await, ["3", "2"].map(row_id));
    bench.finish("b", rows(&["4"])).await;
    for filter in [
        after("2"),
        OutboxFilter { state: Some(RowState::Pending), ..after("2") },
        OutboxFilter { work: Some(work.work.work_id), ..after("2") },
    ] {
        assert_eq!(page(filter).await, [row_id("1")]);
    }
    for sending in bench.take_rows(take()).await {
        bench.store.outbox_settle(sending.row, sending.token, sent()).await.expect("the store works");
    }
    assert_eq!(
        page(OutboxFilter { state: Some(RowState::Sent), ..after("3") }).await,
        ["2", "1"].map(row_id)
    );
    assert!(page(after("nowhere")).await.is_empty(), "a page after nothing is none, and not the first one");
}

pub(super) async fn destination_rows_are_those_before_each_destination(bench: Bench) {
    let elsewhere = NewRow { destination: "mail".to_owned(), ..row("m", "{}") };
    let rows = vec![row("1", "{}"), row("2", "{}"), held_row("3"), elsewhere];
    bench.finish("a", Collected { rows, ..Collected::default() }).await;
    let taken = bench.take_rows(Take { limit: 1, ..take() }).await.remove(0);
    bench.store.outbox_settle(taken.row, taken.token, sent()).await.expect("the store works");
    let of = |destination: &str, by_state: &[(RowState, u64)]| DestinationRows {
        destination: destination.to_owned(),
        by_state: by_state.iter().copied().collect(),
    };
    let counted = bench.store.destination_rows(SPACE).await.expect("the store works");
    let crm = of(CRM, &[(RowState::Held, 1), (RowState::Pending, 1)]);
    assert_eq!(counted, [crm, of("mail", &[(RowState::Pending, 1)])], "what is sent is behind it");
    assert!(bench.store.destination_rows(ELSEWHERE).await.expect("the store works").is_empty());
}

pub(super) async fn outbox_resolve_takes_the_beginning_of_an_id(bench: Bench) {
    bench.finish("a", rows(&["1", "2"])).await;
    let hex = row_id("1").to_string();
    for (namespace, text, found) in [
        (SPACE, &hex[..], 1),
        (SPACE, &hex[..8], 1),
        (SPACE, "", 0),
        (SPACE, "%", 0),
        (ELSEWHERE, &hex[..], 0),
    ] {
        let rows = bench.store.outbox_resolve(namespace, text).await.expect("the store works");
        assert_eq!(rows.len(), found, "{text}");
        assert!(rows.iter().all(|row| row.row_id == row_id("1")));
    }
}

pub(super) async fn outbox_counts_are_by_state(bench: Bench) {
    bench.finish("a", rows(&["1", "2", "3"])).await;
    let taken = bench.take_rows(take()).await;
    let blocked = RowOutcome::Blocked { cause: "400".to_owned(), maybe_applied: false, health: UNWELL };
    let doubt = RowOutcome::InDoubt { cause: "time-out".to_owned(), health: UNWELL };
    for (sending, outcome) in taken.into_iter().zip([blocked, doubt]) {
        bench.store.outbox_settle(sending.row, sending.token, outcome).await.expect("the store works");
    }
    let counts = bench.store.outbox_counts(SPACE).await.expect("the store works");
    let expected = [
        (RowState::Blocked, 1),
        (RowState::InDoubt, 1),
        (RowState::Sending, 1),
        (RowState::Pending, 0),
        (RowState::Sent, 0),
    ];
    for (state, count) in expected {
        assert_eq!(counts.of(state), count, "{state:?}");
    }
    assert!(bench.store.outbox_counts(ELSEWHERE).await.expect("the store works").by_state.is_empty());
}
