//! What the primitives do for a guest, one interface after the other.

use crate::guests::host;
use onceward::dispatch::end::End;
use onceward::identity::event::Event;
use onceward::store::claim::{Repeat, Standing};
use onceward::store::decision::{DecisionQuery, Found};
use onceward::store::work::{WorkRef, WorkState};
use serde_json::Value;
use serde_json::json;
use std::collections::BTreeSet;
use support::host::HostBuilder;
use support::host::event;
use support::observe::output;

#[tokio::test]
async fn derives_the_same_time_seeds_and_ids_on_every_attempt_and_others_for_other_work() {
    let dir = tempfile::tempdir().unwrap();
    let host = host(dir.path(), "derives").await;
    let first = event("1", &json!({}));
    let lost = host.hold("derives", &first).await.run(&host.dispatcher).await;
    let onceward::runtime::run::Ended::Finished { output: before, .. } = &lost.run().ended else {
        panic!("the run finishes: {:?}", lost.run().ended)
    };
    let before: Value = serde_json::from_str(before).unwrap();
    drop(lost);
    host.pass(3_600_000).await;
    let after = host.done("derives", &first).await;
    assert_eq!(before, after);
    // 2025-12-31T23:00:00Z, the event's own time, an hour and more before the clock's.
    assert_eq!(after["occurred_at_ms"], json!(1_767_222_000_000_i64));

    let other = host.done("derives", &event("2", &json!({}))).await;
    let seeds: BTreeSet<u64> = [&after, &other]
        .iter()
        .flat_map(|out| [out["seed_a"].as_u64().unwrap(), out["seed_b"].as_u64().unwrap()])
        .collect();
    let ids: BTreeSet<&str> = [&after, &other]
        .iter()
        .flat_map(|out| [out["id_a"].as_str().unwrap(), out["id_b"].as_str().unwrap()])
        .collect();
    assert_eq!((seeds.len(), ids.len()), (4, 4), "{after} {other}");
}

#[tokio::test]
async fn advances_forward_only() {
    let dir = tempfile::tempdir().unwrap();
    let host = host(dir.path(), "advances").await;
    let ended = host.ran("advances", &event("1", &json!({ "stages": ["received", "matched"] }))).await;
    assert_eq!(output(&ended), json!(null));
    assert_eq!(host.stage(&ended.work).await.as_deref(), Some("matched"));
    assert_eq!(host.evidence_of(ended.work.work_id, "progress").await, ["matched"]);

    let check = async |id: &str, stages: Value, cause: &str| {
        let ended = host.ran("advances", &event(id, &json!({ "stages": stages }))).await;
        assert!(matches!(&ended.end, End::Review(why) if why.contains(cause)), "{:?}", ended.end);
        assert_eq!(host.stage(&ended.work).await, None, "nothing of a run that failed is kept");
    };
    check("2", json!(["matched", "received"]), "has reached `matched`").await;
    check("3", json!(["received", "shipped"]), "the stages are received, matched, owned, replied").await;

    // The same stage again is no step back, and stages may be passed over.
    let ended = host.ran("advances", &event("4", &json!({ "stages": ["owned", "owned"] }))).await;
    assert_eq!(host.stage(&ended.work).await.as_deref(), Some("owned"));
}

#[tokio::test]
async fn items_are_done_once_across_works() {
    let dir = tempfile::tempdir().unwrap();
    let host = host(dir.path(), "items").await;
    let first = host.ran("items", &event("1", &json!({ "items": ["a", "b", "a"] }))).await;
    assert_eq!(
        output(&first),
        json!(["acquired", "acquired", "in-progress"]),
        "a repeat in one list is told"
    );
    assert_eq!(host.evidence_of(first.work.work_id, "items").await, ["2 items done"]);

    let second = host.done("items", &event("2", &json!({ "items": ["b", "c"] }))).await;
    assert_eq!(second, json!([{ "done": "ref-b" }, "acquired"]));

    let ended = host.ran("items", &event("3", &json!({ "items": [""] }))).await;
    assert!(matches!(&ended.end, End::Rejected(why) if why.contains("1 to 512 bytes")), "{:?}", ended.end);
}

#[tokio::test]
async fn items_that_another_run_holds_are_in_progress() {
    let dir = tempfile::tempdir().unwrap();
    let host = host(dir.path(), "items").await;
    let held = host.hold("items", &event("1", &json!({ "items": ["a"] }))).await;
    let ran = held.run(&host.dispatcher).await;
    let other = host.done("items", &event("2", &json!({ "items": ["a", "b"] }))).await;
    assert_eq!(other, json!(["in-progress", "acquired"]));
    assert_eq!(output(&ran.settle(&host.dispatcher).await.unwrap()), json!(["acquired"]));
}

#[tokio::test]
async fn items_crash_gives_its_items_back_with_the_run() {
    let dir = tempfile::tempdir().unwrap();
    let host = host(dir.path(), "items_crash").await;
    let ended = host.ran("items-crash", &event("1", &json!({ "items": ["a", "b"] }))).await;
    assert!(matches!(ended.end, End::Retried { .. }), "{:?}", ended.end);
    let notes = host.evidence_of(ended.work.work_id, "note").await;
    assert!(notes[0].starts_with("panic: after the claim"), "{notes:?}");
    assert!(host.evidence_of(ended.work.work_id, "items").await.is_empty(), "no effect was kept");

    let again = host.work_off().await;
    assert_eq!(output(&again[0]), json!({ "acquired": 2 }));
}

#[tokio::test]
async fn enqueues_a_row_with_its_settle() {
    let dir = tempfile::tempdir().unwrap();
    let host = host(dir.path(), "enqueues").await;
    let event = event("1", &json!({ "deal": { "title": "x", "n": 1.50 } }));
    let ran = host.hold("enqueues", &event).await.run(&host.dispatcher).await;
    assert!(host.rows().await.is_empty(), "nothing is there before the settle");
    let ended = ran.settle(&host.dispatcher).await.unwrap();

    let row = host.row().await;
    assert_eq!(output(&ended), json!({ "row_id": row.row_id }));
    assert_eq!((row.destination.as_str(), row.slot.as_str(), row.attempt), ("crm", "deal", 0));
    assert_eq!(row.work_id, ended.work.work_id);
    assert_eq!(serde_json::from_str::<Value>(&row.payload).unwrap(), json!({ "title": "x", "n": 1.5 }));
    let enqueued = host.evidence_of(ended.work.work_id, "enqueued").await;
    assert!(enqueued.len() == 1 && enqueued[0].contains(&row.row_id.to_string()), "{enqueued:?}");
}

#[tokio::test]
async fn a_unit_of_the_bench_is_an_answer_a_row_and_a_result_of_fixed_sizes() {
    let dir = tempfile::tempdir().unwrap();
    let host = host(dir.path(), "stores_unit").await;
    let ended = host.ran("stores-unit", &event("1", &json!({}))).await;
    assert_eq!(output(&ended), json!({ "class": "lead" }));
    assert_eq!(host.row().await.payload.len(), 400);
    let work = WorkRef { namespace: ended.work.namespace.clone(), id: ended.work.work_id };
    let query = DecisionQuery { work, slot: "class".to_owned(), cache_key: None };
    let found = host.store.decision_find(query).await.unwrap().found;
    assert!(matches!(&found, Some(Found::Pinned(pinned)) if pinned.answer.len() == 300), "{found:?}");
}

#[tokio::test]
async fn enqueues_two_slots_as_two_rows_with_one_payload() {
    let dir = tempfile::tempdir().unwrap();
    let host = host(dir.path(), "enqueues_two").await;
    let out = host.done("enqueues-two", &event("1", &json!({ "n": 1 }))).await;
    let rows = host.rows().await;
    assert_eq!(out, json!({ "row_ids": [rows[0].row_id, rows[1].row_id] }));
    assert_ne!(rows[0].row_id, rows[1].row_id);
    assert_eq!(rows[0].payload, rows[1].payload);
}

#[tokio::test]
async fn conflicts_within_one_run_are_seen_at_once_and_nothing_is_kept() {
    let dir = tempfile::tempdir().unwrap();
    let host = host(dir.path(), "conflicts").await;
    let ended = host.ran("conflicts", &event("1", &json!({}))).await;
    assert!(matches!(ended.end, End::Review(_)), "{:?}", ended.end);
    assert!(host.rows().await.is_empty());
    assert_eq!(host.work(ended.work.work_id).await.state, WorkState::Review);
}

#[tokio::test]
async fn ungranted_destinations_are_named_and_the_work_waits_for_a_person() {
    let dir = tempfile::tempdir().unwrap();
    let host = host(dir.path(), "ungranted").await;
    let ended = host.ran("ungranted", &event("1", &json!({}))).await;
    assert!(matches!(&ended.end, End::Review(why) if why.contains("elsewhere")), "{:?}", ended.end);
    assert!(host.rows().await.is_empty());
}

#[tokio::test]
async fn a_destination_that_the_operator_does_not_grant_is_refused_although_the_contract_asks() {
    let dir = tempfile::tempdir().unwrap();
    let host = HostBuilder::new(dir.path()).step("enqueues").without_grants().start().await;
    let ended = host.ran("enqueues", &event("1", &json!({ "deal": {} }))).await;
    assert!(matches!(&ended.end, End::Review(why) if why.contains("\"crm\"")), "{:?}", ended.end);
    assert!(host.rows().await.is_empty());
}

#[tokio::test]
async fn continues_from_its_cursor_with_a_row_a_chunk() {
    let dir = tempfile::tempdir().unwrap();
    let host = HostBuilder::new(dir.path()).step("continues").attempts(1).start().await;
    let first = host.ran("continues", &event("1", &json!({ "chunks": 3 }))).await;
    assert_eq!(first.end, End::Continued);
    assert_eq!(host.rows().await.len(), 1, "a chunk commits with its cursor");
    // One attempt a chunk is enough, since the count begins anew with each.
    let ended = host.work_off().await;
    assert_eq!(output(ended.last().unwrap()), json!({ "chunks": 3 }));
    let slots: Vec<String> = host.rows().await.into_iter().map(|row| row.slot).collect();
    assert_eq!(slots, ["chunk-0", "chunk-1", "chunk-2"]);
}

#[tokio::test]
async fn continues_repeats_a_lost_chunk_alone() {
    let dir = tempfile::tempdir().unwrap();
    let host = host(dir.path(), "continues").await;
    host.ran("continues", &event("1", &json!({ "chunks": 3 }))).await;
    drop(host.take("continues").await.run(&host.dispatcher).await);
    assert_eq!(host.rows().await.len(), 1, "the lost chunk left nothing");
    let ended = host.work_off().await;
    assert_eq!(output(ended.last().unwrap()), json!({ "chunks": 3 }));
    assert_eq!(host.rows().await.len(), 3);
}

#[tokio::test]
async fn caches_rule_keeps_the_first_answer_also_for_later_attempts() {
    let dir = tempfile::tempdir().unwrap();
    let host = host(dir.path(), "caches_rule").await;
    let ended = host.ran("caches-rule", &event("1", &json!({}))).await;
    assert_eq!(
        output(&ended),
        json!({
            "first": { "answer": "first", "origin": "asked" },
            "second": { "answer": "first", "origin": "pinned" },
        })
    );
    let decided = host.evidence_of(ended.work.work_id, "decided").await;
    assert_eq!(decided, ["slot \"rule\", by rule"]);
    assert_eq!(host.oracle.calls(), 0);
}

#[tokio::test]
async fn lead_sum_s12_s13_finds_the_same_work_by_its_business_key() {
    let dir = tempfile::tempdir().unwrap();
    let host = host(dir.path(), "lead_sum").await;
    let parse = |text: &str| Event::parse(text.as_bytes()).unwrap();
    let first = parse(
        r#"{"source":"s","id":"e-1","data":{"id":"L1","amount":1,"page":"https://x.example/?b=2&a=1&utm_source=z",
            "asked_at":"2026-01-01T00:00:00Z","note":" hi ","trace":"t1","receivedAt":"1"}}"#,
    );
    assert_eq!(host.done("lead-sum", &first).await, json!({ "id": "L1", "amount": 1 }));

    let again = parse(
        r#"{"id":"e-2","source":"s","data":{"receivedAt":"2","trace":"t2","note":"hi",
            "asked_at":"2026-01-01T01:00:00+01:00","page":"https://x.example/?a=1&b=2","amount":1.0,"id":"L1"}}"#,
    );
    let standing = host.answered("lead-sum", &again).await.standing;
    assert!(
        matches!(&standing, Standing::Done(Repeat::Original { output, .. }) if output.contains("L1")),
        "{standing:?}"
    );

    let changed = parse(r#"{"source":"s","id":"e-3","data":{"id":"L1","amount":2}}"#);
    let standing = host.answered("lead-sum", &changed).await.standing;
    assert!(matches!(standing, Standing::Mismatch { .. }), "{standing:?}");

    let nameless = parse(r#"{"source":"s","id":"e-4","data":{"amount":2}}"#);
    let error = host.run("lead-sum", &nameless).await.unwrap_err();
    let source = std::error::Error::source(&error).map(ToString::to_string).unwrap_or_default();
    assert!(source.contains("/id"), "{error}: {source}");
    assert_eq!(host.works().await.len(), 1);
}

#[tokio::test]
async fn a_destination_that_is_not_configured_leaves_its_rows_pending() {
    let dir = tempfile::tempdir().unwrap();
    let host = host(dir.path(), "enqueues").await;
    host.done("enqueues", &event("1", &json!({ "deal": {} }))).await;
    let report = host.deliver().await;
    assert!(report.attempts.is_empty());
    assert_eq!(report.counts.of(onceward::store::outbox::RowState::Pending), 1);
}
