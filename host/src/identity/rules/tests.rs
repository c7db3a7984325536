//! Claims about the rules; the hashes themselves are pinned by the shared vectors.

use serde_json::json;

use super::*;

fn rules(value: Value) -> Rules {
    serde_json::from_value(value).expect("rules as a contract writes them")
}

fn check(contract: Value, payload: Value, expected: Value) {
    let rules = rules(contract);
    assert_eq!(rules.validate(), Ok(()));
    let normal = rules.apply(payload).expect("a good payload");
    assert_eq!(normal, expected);
    assert_eq!(rules.apply(normal), Ok(expected), "a second time changes nothing");
}

fn check_refused(contract: Value, payload: Value, code: &str, says: &str) {
    let error = rules(contract).apply(payload).expect_err(says);
    assert_eq!(error.code(), code);
    assert!(error.to_string().contains(says), "`{error}` should say `{says}`");
}

#[test]
fn volatile_names_go_at_every_depth() {
    let payload =
        json!({"a": [{"requestId": 1, "x": 2}], "trace_id": 3, "b": {"receivedAt": 4, "mine": 5}, "mine": 6});
    check(json!({"volatile": ["mine"]}), payload, json!({"a": [{"x": 2}], "b": {}}));
}

#[test]
fn volatile_pointers_go_where_they_point() {
    let payload =
        json!({"list": [{"t": 1, "k": 1}, {"t": 2}, 3], "t": 4, "a/b": {"~": 5}, "drop": [0, 1, 2]});
    let contract = json!({"volatile": ["/list/*/t", "/a~1b/~0", "/drop/*", "/gone/x"]});
    check(contract, payload, json!({"list": [{"k": 1}, {}, 3], "t": 4, "a/b": {}, "drop": []}));
}

#[test]
fn declared_fields_are_normalised() {
    let contract = json!({"trimmed": ["/name", "/site"], "urls": ["/site", "/links/*"], "times": ["/at"]});
    let payload = json!({
        "name": "\u{a0} Ada\t", "site": " HTTP://A.example/?utm_source=x ",
        "links": ["https://B.example/#f", null, ""],
        "at": "2026-11-29T11:00:00+01:00", "other": " kept ",
    });
    let expected = json!({
        "name": "Ada", "site": "http://a.example", "links": ["https://b.example", null, ""],
        "at": "2026-11-29T10:00:00.000Z", "other": " kept ",
    });
    check(contract, payload, expected);
}

#[test]
fn an_absent_field_is_fine() {
    check(
        json!({"urls": ["/site"], "times": ["/at"], "trimmed": ["/name"]}),
        json!({"x": 1}),
        json!({"x": 1}),
    );
    check(json!({"urls": ["/site"]}), json!([]), json!([]));
}

#[test]
fn a_field_that_cannot_be_compared_is_named() {
    check_refused(
        json!({"urls": ["/l/*"]}),
        json!({"l": ["https://a.example", "nope"]}),
        "bad-url",
        "`/l/1`",
    );
    check_refused(json!({"times": ["/at"]}), json!({"at": "2026-11-29T10:00:00"}), "bad-time", "`/at`");
    check_refused(json!({"times": ["/at"]}), json!({"at": 1_796_551_200}), "wrong-kind", "a number");
    check_refused(json!({"trimmed": ["/name"]}), json!({"name": []}), "wrong-kind", "`trimmed`");
}

#[test]
fn bad_rules_are_refused_when_they_are_loaded() {
    for (contract, code) in [
        (json!({"urls": ["site"]}), "bad-pointer"),
        (json!({"times": [""]}), "bad-pointer"),
        (json!({"trimmed": ["/~"]}), "bad-pointer"),
        (json!({"content_fields": ["a"]}), "bad-pointer"),
        (json!({"volatile": ["/~x"]}), "bad-pointer"),
        (json!({"volatile": ["a/b"]}), "bad-name"),
        (json!({"volatile": [""]}), "bad-name"),
        (json!({"content_fields": ["/meta/run_id"]}), "never-compared"),
        (json!({"content_fields": ["/a/b"], "volatile": ["/a"]}), "never-compared"),
        (json!({"content_fields": ["/a/mine/c"], "volatile": ["mine"]}), "never-compared"),
    ] {
        assert_eq!(rules(contract.clone()).validate().map_err(|error| error.code()), Err(code), "{contract}");
    }
    assert!(
        serde_json::from_value::<Rules>(json!({"url": []})).is_err(),
        "a misspelt list must not be ignored"
    );
}

#[test]
fn the_content_hash_covers_the_declared_fields_alone() {
    let hash = |contract: &Value, payload: Value| {
        rules(contract.clone()).content_hash(&payload).expect("a good payload")
    };
    let contract = json!({"content_fields": ["/total", "/items/*/sku"]});
    let first = hash(&contract, json!({"total": 1.0, "items": [{"sku": "a", "n": 1}], "note": "x"}));
    assert_eq!(first, hash(&contract, json!({"total": 1, "items": [{"sku": "a", "n": 2}]})));
    let other_order = json!({"content_fields": ["/items/*/sku", "/total", "/total"]});
    assert_eq!(first, hash(&other_order, json!({"total": 1, "items": [{"sku": "a"}]})));
    for other in [
        json!({"total": 2, "items": [{"sku": "a"}]}),
        json!({"total": 1, "items": [{"sku": "a"}, {"sku": "a"}]}),
        json!({"total": 1}),
        json!({"total": 1, "items": [{"sku": null}]}),
        json!({}),
    ] {
        assert_ne!(first, hash(&contract, other.clone()), "{other}");
    }
    let whole = hash(&json!({}), json!({"total": 1}));
    assert_ne!(whole, hash(&json!({"content_fields": ["/total"]}), json!({"total": 1})));
    assert_eq!(whole, hash(&json!({}), json!({"total": 1, "receivedAt": "now"})));
}
