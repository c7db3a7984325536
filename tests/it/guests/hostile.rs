//! Guests that mean harm, or would do it: what they ask of models, what they collect, and chunks that lead nowhere.

use onceward::dispatch::end::End;
use onceward::models::schema::ANSWER_LIMIT_BYTES;
use onceward::runtime::limits::Limits;
use onceward::runtime::limits::NAME_LIMIT_BYTES;
use onceward::runtime::run::Ended as RunEnded;
use onceward::store::work::WorkState;
use serde_json::Value;
use serde_json::json;
use std::task::Context;
use std::task::Waker;
use std::time::Duration;
use std::time::Instant;
use support::host::HostBuilder;
use support::host::INSTANCES;
use support::host::TestHost;
use support::host::event;
use support::observe::output;
use tempfile::TempDir;

async fn started(build: impl FnOnce(HostBuilder) -> HostBuilder) -> (TempDir, TestHost) {
    let dir = tempfile::tempdir().expect("a folder can be made");
    let host = build(HostBuilder::new(dir.path())).start().await;
    (dir, host)
}

/// What the guest `asks` got for one question.
async fn asked(host: &TestHost, id: &str, question: Value) -> Value {
    host.done("asks", &event(id, &json!({ "attempts": [[question]] }))).await[0].take()
}

/// The part `/0` refers twice to `/1`, and so on: twice the work a level.
fn doubling_schema(levels: usize) -> Value {
    let mut defs: serde_json::Map<String, Value> = (0..levels)
        .map(|level| {
            let next = json!({ "$ref": format!("#/$defs/{}", level + 1) });
            (level.to_string(), json!({ "allOf": [next, next] }))
        })
        .collect();
    defs.insert(levels.to_string(), json!({ "type": "object" }));
    json!({ "$defs": defs, "$ref": "#/$defs/0" })
}

#[tokio::test]
async fn asks_with_a_schema_that_would_never_end_and_is_refused_before_the_model_is_paid() {
    let (_dir, host) = started(|host| host.step("asks")).await;
    let patterns = json!({ "allOf": vec![json!({ "pattern": r"\p{L}{15}N" }); 500] });
    let unevaluated = (0..40)
        .fold(json!(true), |inner, _| json!({ "oneOf": [inner, true], "unevaluatedProperties": false }));
    for (id, schema, words) in [
        ("levels", doubling_schema(40), "references followed"),
        ("patterns", patterns, "patterns (references followed), and 32 is the limit"),
        ("unevaluated", unevaluated, "`unevaluatedProperties` can't be used"),
        ("recursive", json!({ "items": { "$ref": "#" } }), "refers to itself"),
        ("large", json!({ "title": "x".repeat(40_000) }), "bytes, and 32768 is the limit"),
        ("no schema", json!({ "type": "objekt" }), "`/type`"),
        ("no JSON", json!("{"), "not usable JSON"),
    ] {
        let begun = Instant::now();
        let told = asked(&host, id, json!({ "schema": schema })).await;
        let error = told["error"].as_str().unwrap_or_default();
        assert!(error.contains("the question is at fault") && error.contains(words), "{id}: {told}");
        assert!(begun.elapsed() < Duration::from_secs(5), "{id} took {:?}", begun.elapsed());
    }
    assert_eq!(host.oracle.calls(), 0, "a question that can't be asked costs nothing");
    let fine = json!({ "$ref": "#/$defs/a", "$defs": { "a": { "required": ["call"] } } });
    assert_eq!(asked(&host, "fine", json!({ "schema": fine })).await["origin"], json!("asked"));
}

#[tokio::test]
async fn asks_at_a_temperature_that_is_no_number() {
    let (_dir, host) = started(|host| host.step("asks")).await;
    for temperature in ["nan", "infinity"] {
        let told = asked(&host, temperature, json!({ "temperature": temperature })).await;
        assert!(told["error"].as_str().unwrap().contains("must be a finite number"), "{told}");
    }
    assert_eq!(host.oracle.calls(), 0);
}

#[tokio::test]
async fn an_answer_is_read_strictly_and_up_to_a_size_with_and_without_a_schema() {
    let (_dir, host) = started(|host| host.step("asks").model_calls(1)).await;
    let oversize = format!("\"{}\"", "x".repeat(ANSWER_LIMIT_BYTES));
    for (answer, words) in [
        (r#"{"a":1,"a":2}"#, "`/a` occurs twice"),
        (oversize.as_str(), "the limit is 65536"),
        (r#"{"a":123456789012345678901234567890}"#, "would be rounded"),
    ] {
        for question in [json!({ "input": words }), json!({ "input": words, "schema": {} })] {
            let id = question.to_string();
            host.oracle.next(Ok(answer));
            let told = asked(&host, &id, question.clone()).await;
            let error = told["error"].as_str().unwrap_or_default();
            assert!(error.contains("does not fit") && error.contains(words), "{told}");
            let again = asked(&host, &format!("{id} again"), question).await;
            assert_eq!(again["origin"], json!("asked"), "nothing was recorded");
        }
    }
    let largest = format!("\"{}\"", "x".repeat(ANSWER_LIMIT_BYTES - 2));
    host.oracle.next(Ok(&largest));
    assert_eq!(asked(&host, "largest", json!({ "input": "largest" })).await["origin"], json!("asked"));
}

/// Run the first attempt, and lose it before its settle.
async fn lose_first_attempt(host: &TestHost, event: &onceward::identity::event::Event) -> Value {
    let lost = host.hold("asks", event).await.run(&host.dispatcher).await;
    let RunEnded::Finished { output, .. } = &lost.run().ended else { panic!("{:?}", lost.run().ended) };
    let told = serde_json::from_str(output).expect("an output is JSON");
    drop(lost);
    host.pass(3_600_000).await;
    told
}

#[tokio::test]
async fn asks_again_in_a_decided_slot_and_gets_its_answer_whatever_became_of_the_question() {
    let (_dir, host) = started(|host| host.step("asks")).await;
    let answer = json!([{ "answer": { "call": 1 }, "origin": "pinned" }]);
    for (index, now) in [
        json!({ "schema": { "type": "objekt" } }),
        json!({ "schema": doubling_schema(40) }),
        json!({ "temperature": "nan" }),
        json!({ "model": "not granted any more" }),
        json!({ "input": "other" }),
    ]
    .into_iter()
    .enumerate()
    {
        let payload = json!({ "attempts": [[{}], [now]] });
        let event = event(&index.to_string(), &payload);
        let first = lose_first_attempt(&host, &event).await;
        assert_eq!(first[0]["answer"], json!({ "call": 1 }));
        assert_eq!(host.done("asks", &event).await, answer, "{now}");
    }
    assert_eq!(host.oracle.calls(), 1);
}

#[tokio::test]
async fn asks_again_after_the_grant_was_taken_away_and_gets_its_answer() {
    let (dir, host) = started(|host| host.step("asks")).await;
    let event = event("1", &json!({ "attempts": [[{}], [{}, { "slot": "new" }]] }));
    lose_first_attempt(&host, &event).await;
    let (clock, oracle) = host.end().await;
    let host =
        HostBuilder::new(dir.path()).step("asks").without_grants().doors_of(&clock, &oracle).start().await;
    let ended = host.take("asks").await.run(&host.dispatcher).await.settle(&host.dispatcher).await;
    let told = output(&ended.expect("the protocol works"));
    assert_eq!(told[0], json!({ "answer": { "call": 1 }, "origin": "pinned" }));
    let error = told[1]["error"].as_str().unwrap_or_default();
    assert!(
        error.contains("\"oracle\" needs both"),
        "an equal question is in the cache, and is not given: {told}"
    );
}

#[tokio::test]
async fn asks_a_model_that_takes_too_long_and_the_late_answer_is_not_lost() {
    let limits = Limits { wall_ms: 1_000, ..Limits::default() };
    let (_dir, host) = started(|host| host.step_within("asks", limits).model_timeout_ms(100)).await;
    host.oracle.delay(Duration::from_millis(1_500));
    // All waits together are longer than the wall limit, and none of them is the step's.
    let payload = json!({ "attempts": [vec![json!({}); 40]] });
    let told = host.done("asks", &event("1", &payload)).await;
    let told = told.as_array().unwrap();
    let error = told[0]["error"].as_str().unwrap_or_default();
    assert!(error.contains("the model failed") && error.contains("took longer than 100 ms"), "{error}");
    assert_eq!(told.last().unwrap(), &json!({ "answer": { "call": 1 }, "origin": "pinned" }));
    assert_eq!(host.oracle.calls(), 1, "who asks again waits for the same call");
    assert_eq!(asked(&host, "2", json!({})).await, json!({ "answer": { "call": 1 }, "origin": "cached" }));
}

#[tokio::test]
async fn asks_a_model_whose_client_breaks_and_is_told_its_name() {
    let (_dir, host) = started(|host| host.step("asks")).await;
    host.oracle.break_down();
    let told = asked(&host, "1", json!({})).await;
    let error = told["error"].as_str().unwrap_or_default();
    assert!(error.contains("asking the model `oracle`") && error.contains("panicked"), "{error}");
}

#[tokio::test]
async fn collects_much_and_finds_each_limit() {
    let limits = Limits { collected_bytes: 100_000, pins: 8, rows: 8, items: 8, ..Limits::default() };
    let (_dir, host) = started(|host| host.step_within("collects_much", limits)).await;
    let bytes = "100000 bytes collected a run (limits.collected_bytes)";
    let name = format!("has at most {NAME_LIMIT_BYTES} bytes");
    let check = async |kind: &str, count: u64, bytes: usize, limit: Option<&str>| {
        let id = format!("{kind} {count} {bytes}");
        let payload = json!({ "kind": kind, "count": count, "bytes": bytes });
        let ended = host.ran("collects-much", &event(&id, &payload)).await;
        match (&ended.end, limit) {
            (End::Done { .. }, None) => {}
            (End::Rejected(why), Some(limit)) => assert!(why.contains(limit), "{id}: {why}"),
            (other, _) => panic!("{id}: {other:?}"),
        }
    };
    check("pins", 8, 10_000, None).await;
    check("pins", 9, 1, Some("8 answers by rule a run (limits.pins)")).await;
    check("pins", 2, 60_000, Some(bytes)).await;
    check("rows", 8, 10_000, None).await;
    check("rows", 2, 60_000, Some(bytes)).await;
    check("keys", 8, 500, None).await;
    check("references", 8, 500, None).await;
    check("references", 1, NAME_LIMIT_BYTES + 1, Some(&name)).await;
    // Seven of eight verdicts are `in-progress`, and count like any other.
    check("claims", 8, 1, None).await;
    check("claims", 9, 1, Some("8 items a run (limits.items)")).await;
    for kind in ["slots", "destinations", "models", "versions"] {
        check(kind, 1, NAME_LIMIT_BYTES + 1, Some(&name)).await;
    }
    check("slots", 1, NAME_LIMIT_BYTES, None).await;
    assert_eq!(host.oracle.calls(), 0);
}

#[tokio::test]
async fn collects_much_in_keys_and_references_and_finds_the_limit_of_bytes() {
    let limits = Limits { collected_bytes: 2_000, ..Limits::default() };
    let (_dir, host) = started(|host| host.step_within("collects_much", limits)).await;
    for (kind, allowed) in [("keys", 3), ("references", 3)] {
        for (count, fits) in [(allowed, true), (allowed + 1, false)] {
            let payload = json!({ "kind": kind, "count": count, "bytes": 500 });
            let ended = host.ran("collects-much", &event(&format!("{kind} {count}"), &payload)).await;
            match &ended.end {
                End::Done { .. } => assert!(fits, "{kind} {count}"),
                End::Rejected(why) => assert!(!fits && why.contains("limits.collected_bytes"), "{why}"),
                other => panic!("{kind} {count}: {other:?}"),
            }
        }
    }
}

#[tokio::test]
async fn stands_still_and_dies_instead_of_continuing_for_ever() {
    for row in [false, true] {
        let (_dir, host) = started(|host| host.step("stands_still").attempts(3)).await;
        let payload = json!({ "cursor": "here", "times": 1, "row": row });
        let first = host.ran("stands-still", &event("1", &payload)).await;
        assert_eq!(first.end, End::Continued, "from nothing to a cursor is progress");
        let ends = host.work_off().await;
        let last = ends.last().expect("the work went on");
        let End::Dead(cause) = &last.end else { panic!("{:?}", last.end) };
        assert!(cause.contains("the step continues without progress"), "{cause}");
        assert_eq!(ends.len(), 3, "each attempt is a failed one: {ends:?}");
        assert_eq!(host.work(last.work.work_id).await.state, WorkState::Dead);
        assert_eq!(host.rows().await.len(), usize::from(row));
    }
}

#[tokio::test]
async fn stands_still_with_a_cursor_that_is_empty_or_too_long() {
    let limits = Limits { collected_bytes: 1_000, call_bytes: 4_096, ..Limits::default() };
    let (_dir, host) = started(|host| host.step_within("stands_still", limits)).await;
    for (times, words) in [
        (0, "the cursor is empty"),
        (1_001, "1000 bytes collected a run (limits.collected_bytes)"),
        (5_000, "4096 bytes at once (limits.call_bytes)"),
    ] {
        let payload = json!({ "cursor": "x", "times": times });
        let ended = host.ran("stands-still", &event(&times.to_string(), &payload)).await;
        let End::Retried { cause, .. } = &ended.end else { panic!("{times}: {:?}", ended.end) };
        assert!(cause.contains(words), "{times}: {cause}");
    }
    let fits = host.ran("stands-still", &event("fits", &json!({ "cursor": "x", "times": 1_000 }))).await;
    assert_eq!(fits.end, End::Continued);
}

#[tokio::test]
async fn a_place_is_held_until_it_is_dropped() {
    let (_dir, host) = started(|host| host.step("asks")).await;
    let mut places = Vec::new();
    for _ in 0..INSTANCES {
        places.push(host.runtime.place().await);
    }
    let mut next = Box::pin(host.runtime.place());
    let mut waiting = Context::from_waker(Waker::noop());
    assert!(next.as_mut().poll(&mut waiting).is_pending(), "all places are taken");
    places.pop();
    assert!(next.as_mut().poll(&mut waiting).is_ready(), "one is free again");
}
