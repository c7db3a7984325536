//! What a schema lets through, and what a hostile one can't cost.

use super::*;
use crate::models::schema::bounds::LEVELS_MAX;
use crate::models::schema::bounds::NODES_MAX;
use crate::models::schema::bounds::PATTERNS_LIMIT_BYTES;
use crate::models::schema::bounds::PATTERNS_MAX;
use serde_json::json;
use std::time::Instant;

const LEAD: &str = r#"{"type":"object","required":["intent"],"additionalProperties":false,
    "properties":{"intent":{"enum":["buy","leave"]},"scores":{"type":"array","items":{"type":"number","maximum":1}}}}"#;

fn check(schema: &str, answer: &str) -> Result<(), SchemaError> {
    Schema::compile(schema)?.check(answer)
}

fn faults(schema: &str, answer: &str) -> Vec<String> {
    match check(schema, answer) {
        Err(SchemaError::Mismatch(SchemaFaults(faults))) => {
            faults.into_iter().map(|fault| fault.path).collect()
        }
        other => panic!("no mismatch: {other:?}"),
    }
}

/// This schema is refused before anything is compiled, with these words.
fn refused(schema: &Value, words: &str) {
    let begun = Instant::now();
    let error = Schema::compile(&schema.to_string()).unwrap_err().to_string();
    assert!(error.contains(words), "{words:?} is not in: {error}");
    assert!(begun.elapsed() < Duration::from_secs(1), "refusing took {:?}", begun.elapsed());
}

/// A schema within its own like, so many levels deep.
fn nested(levels: usize, around: impl Fn(Value) -> Value) -> Value {
    (0..levels).fold(json!(true), |inner, _| around(inner))
}

/// `$defs` in which each part refers to the next one so many times.
fn chain(length: usize, times: usize) -> Value {
    let reference = |index: usize| json!({ "$ref": format!("#/$defs/{index}") });
    let mut defs: serde_json::Map<String, Value> = (0..length)
        .map(|index| (index.to_string(), json!({ "allOf": vec![reference(index + 1); times] })))
        .collect();
    defs.insert(length.to_string(), json!({ "type": "object" }));
    json!({ "$defs": defs, "$ref": "#/$defs/0" })
}

#[test]
fn an_answer_that_satisfies_its_schema_passes() {
    assert_eq!(check(LEAD, r#"{"intent":"buy","scores":[0.5,1]}"#), Ok(()));
}

#[test]
fn a_fault_names_its_place() {
    assert_eq!(faults(LEAD, r#"{"intent":"sell"}"#), ["/intent"]);
    assert_eq!(faults(LEAD, r#"{"intent":"buy","scores":[0,7,"x"]}"#), ["/scores/1", "/scores/2"]);
    assert_eq!(faults(LEAD, "[]"), [""]);
    assert_eq!(faults(r#"{"properties":{"a/b":{"type":"null"}}}"#, r#"{"a/b":1}"#), ["/a~1b"]);
}

#[test]
fn a_flood_of_faults_is_cut_in_number_and_length() {
    let answer = format!(
        r#"{{"intent":"buy","scores":[{}]}}"#,
        vec![format!("\"{}\"", "x".repeat(500)); 100].join(",")
    );
    assert_eq!(faults(LEAD, &answer).len(), REPORTED_FAULTS);
    assert!(check(LEAD, &answer).unwrap_err().to_string().len() < 4_000);
}

#[test]
fn what_can_not_be_read_is_refused_with_its_reason() {
    let check = |schema: &str, answer: &str, words: &str| {
        let error = check(schema, answer).unwrap_err();
        assert!(error.to_string().contains(words), "{error}");
    };
    check("{", "{}", "compiling a step's schema: it is not usable JSON");
    check(r#"{"type":"null","type":"object"}"#, "{}", "compiling a step's schema: it is not usable JSON");
    check("{}", "Sure! Here is the JSON", "checking an answer: it is not usable JSON");
    check("{}", r#"{"intent":"buy","intent":"leave"}"#, "checking an answer: it is not usable JSON");
    check(r#"{"type":"objekt"}"#, "{}", "`/type`");
    check(r#"{"pattern":"("}"#, "{}", "`/pattern`");
    check(&" ".repeat(SCHEMA_LIMIT_BYTES + 1), "{}", "32769 bytes, and 32768 is the limit");
    check("{}", &" ".repeat(ANSWER_LIMIT_BYTES + 1), "65537 bytes and the limit is 65536");
}

#[test]
fn references_point_into_the_schema_alone() {
    for uri in [
        "https://a.example/s.json",
        "file:///etc/hostname",
        "#name",
        "other",
        "",
        "#/$defs/gone",
        "#/%24defs/a",
    ] {
        let schema = json!({ "properties": { "a": { "$ref": uri } }, "$defs": { "a": true } });
        let error = Schema::compile(&schema.to_string()).unwrap_err();
        assert_eq!(error, SchemaError::Reference { uri: uri.to_owned() });
    }
    let inside = r##"{"$id":"https://a.example/s","$ref":"#/$defs/a~1b","$defs":{"a/b":{"type":"null"}}}"##;
    assert_eq!(faults(inside, "1"), [""]);
    // A borrowed name does not lead references to the borrowed document, where this part would be another one.
    let borrowed = r##"{"$id":"https://json-schema.org/draft/2020-12/schema","$ref":"#/properties/a",
        "properties":{"a":{"type":"null"}}}"##;
    assert_eq!(faults(borrowed, "1"), [""]);
}

#[test]
fn a_schema_that_refers_to_itself_is_refused() {
    for uri in ["#", "#/$defs/a", "#/properties", "#/properties/next"] {
        let schema = json!({
            "properties": { "next": { "$ref": uri } },
            "$defs": { "a": { "$ref": "#/$defs/b" }, "b": { "items": { "$ref": "#/$defs/a" } } },
        });
        refused(&schema, "refers to itself");
    }
}

#[test]
fn parts_that_are_used_again_are_counted_again() {
    let wide = |times: usize| {
        json!({ "allOf": vec![json!({ "$ref": "#/$defs/0" }); times],
        "$defs": { "0": { "enum": vec![0; 100] } } })
    };
    assert_eq!(check(&wide(70).to_string(), "0"), Ok(()));
    refused(&wide(80), "values (references followed)");
    for length in [12, 24, 40, 300] {
        refused(&chain(length, 2), "(references followed)");
    }
    assert_eq!(check(&chain(20, 1).to_string(), "{}"), Ok(()));
    refused(&chain(LEVELS_MAX, 1), "levels (references followed)");
}

#[test]
fn patterns_have_a_budget() {
    let list = |count: usize, pattern: &str| json!({ "allOf": vec![json!({ "pattern": pattern }); count] });
    assert_eq!(check(&list(PATTERNS_MAX, "a").to_string(), "\"a\""), Ok(()));
    refused(&list(PATTERNS_MAX + 1, "a"), "33 patterns (references followed), and 32 is the limit");
    refused(&list(5_000, r"\p{L}{15}N"), "is the limit");
    refused(&list(2, &"a".repeat(PATTERNS_LIMIT_BYTES / 2 + 1)), "bytes of patterns");
    let properties: serde_json::Map<_, _> =
        (0..=PATTERNS_MAX).map(|index| (index.to_string(), json!(true))).collect();
    refused(&json!({ "patternProperties": properties }), "33 patterns");
    // Behind references they count as often as they are used.
    let shared =
        json!({ "allOf": vec![json!({ "$ref": "#/$defs/a" }); 33], "$defs": { "a": { "pattern": "a" } } });
    refused(&shared, "patterns (references followed)");
}

#[test]
fn keywords_without_a_bound_or_a_fixed_meaning_are_refused_by_name() {
    refused(
        &nested(24, |inner| json!({ "oneOf": [inner, true], "unevaluatedProperties": false })),
        "unevaluated",
    );
    for (keyword, value) in [
        ("unevaluatedItems", json!(false)),
        ("$dynamicRef", json!("#a")),
        ("$recursiveRef", json!("#")),
        ("$id", json!("https://a.example/other")),
        ("$schema", json!("http://json-schema.org/draft-04/schema#")),
    ] {
        refused(&json!({ "items": { keyword: value } }), &format!("`{keyword}` can't be used"));
    }
    for draft in ["http://json-schema.org/draft-07/schema#", "https://json-schema.org/draft/2020-12/schema"] {
        assert_eq!(check(&json!({ "$schema": draft, "type": "null" }).to_string(), "null"), Ok(()));
    }
    // `format` is a note in every draft, so that none turns the answer into something to be compiled.
    let format = json!({ "$schema": "http://json-schema.org/draft-07/schema#", "format": "regex" });
    assert_eq!(check(&format.to_string(), "\"(\""), Ok(()));
}

#[test]
fn the_deepest_schemas_that_are_let_through_fit_a_threads_stack() {
    let answer = format!("{}{}", "[".repeat(100), "]".repeat(100));
    for keyword in ["items", "not", "contains", "additionalProperties", "if"] {
        let schema = nested(LEVELS_MAX - 2, |inner| json!({ keyword: inner })).to_string();
        let ended = std::thread::Builder::new().stack_size(2 << 20).spawn({
            let answer = answer.clone();
            move || drop(check(&schema, &answer))
        });
        ended.unwrap().join().unwrap();
    }
}

#[test]
fn a_hostile_pattern_costs_no_time_and_no_memory() {
    let catastrophic = r#"{"pattern":"^(a+)+$"}"#;
    assert_eq!(faults(catastrophic, &format!("\"{}!\"", "a".repeat(50_000))), [""]);
    for pattern in ["(?=a)a", "((a{1000}){1000}){1000}", r"\p{L}{15}N"] {
        let error = check(&json!({ "pattern": pattern }).to_string(), "\"a\"").unwrap_err();
        assert!(matches!(error, SchemaError::BadSchema { .. }), "{pattern}: {error}");
    }
    // What a class of all letters takes is there.
    assert_eq!(check(&json!({ "pattern": r"^\p{L}+$" }).to_string(), "\"Łódź\""), Ok(()));
}

#[test]
fn what_schema_and_answer_cost_together_is_bounded_before_they_meet() {
    let costly = |schema: &Value, answer: &str, words: &str| {
        let schema = Schema::compile(&schema.to_string()).unwrap();
        let begun = Instant::now();
        let error = schema.check(answer).unwrap_err().to_string();
        assert!(error.contains(words), "{words:?} is not in: {error}");
        assert!(begun.elapsed() < Duration::from_secs(2), "it took {:?}", begun.elapsed());
    };
    let many = json!(vec![1; 20_000]).to_string();
    costly(&json!({ "items": { "allOf": vec![false; 5_000] } }), &many, "values of the schema times values");
    let slow = json!({ "allOf": vec![json!({ "pattern": "a[ab]{900}N" }); 3] });
    costly(&slow, &format!("\"{}\"", "a".repeat(60_000)), "patterns of the schema times bytes");
    // Within the bound the answer is checked; how many faults there are is not asked for.
    costly(&json!({ "items": { "allOf": vec![false; 500] } }), &many, "too large to say where");
    assert_eq!(NODES_MAX * 2_048, PAIRS_MAX, "the largest schema still takes an answer of a few pages");
}

#[tokio::test]
async fn schemas_are_compiled_once_and_the_oldest_makes_room() {
    let schemas = Schemas::new();
    let schema = |index: usize| format!(r#"{{"const":{index}}}"#);
    let first = schemas.compiled(&schema(0)).await.unwrap();
    assert!(Arc::ptr_eq(&first, &schemas.compiled(&schema(0)).await.unwrap()));
    for index in 1..=KEPT_SCHEMAS {
        let compiled = schemas.compiled(&schema(index)).await.unwrap();
        assert_eq!(hold(Some(Arc::clone(&compiled)), index.to_string()).await, Ok(index.to_string()));
        assert!(hold(Some(compiled), "-1".to_owned()).await.is_err());
    }
    assert_eq!(schemas.kept.lock().unwrap().len(), KEPT_SCHEMAS);
    assert!(!Arc::ptr_eq(&first, &schemas.compiled(&schema(0)).await.unwrap()));
    assert!(schemas.compiled("{").await.is_err());
}

#[tokio::test]
async fn an_answer_without_a_schema_is_read_strictly_too() {
    for bad in ["", "sure!", r#"{"a":1,"a":2}"#, "9".repeat(30).as_str(), &" ".repeat(ANSWER_LIMIT_BYTES + 1)]
    {
        assert!(hold(None, bad.to_owned()).await.is_err(), "{bad}");
    }
    assert_eq!(hold(None, " {} ".to_owned()).await, Ok(" {} ".to_owned()));
}

#[tokio::test]
async fn work_beside_that_takes_too_long_or_panics_is_an_error() {
    let (hold, held) = std::sync::mpsc::channel::<()>();
    let waited: Result<(), _> = aside(CHECKING, 20, move || {
        // Until the test lets go of the other end.
        held.recv().map_err(|_let_go| SchemaError::Panicked { doing: CHECKING })
    })
    .await;
    drop(hold);
    assert_eq!(waited, Err(SchemaError::TooSlow { doing: CHECKING, limit_ms: 20 }));
    let panicked: Result<(), _> = aside(COMPILING, CHECK_TIMEOUT_MS, || panic!("out of luck")).await;
    assert_eq!(panicked, Err(SchemaError::Panicked { doing: COMPILING }));
}
