//! Claims about the rules; the hashes themselves are pinned by the shared vectors.

use serde_json::json;

use super::*;
use crate::identity::builtin::LATER_IN_TESTS;

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
fn a_volatile_element_leaves_its_neighbours_in_their_places() {
    let contract = json!({"volatile": ["/l/0", "/l/1", "/m/*/0"], "trimmed": ["/l/2"]});
    let payload = json!({"l": ["a", "b", " c "], "m": [["x", "y"], {"0": 1, "1": 2}]});
    check(contract.clone(), payload, json!({"l": [null, null, "c"], "m": [[null, "y"], {"1": 2}]}));
    let order_of_entries = json!({"volatile": ["/m/*/0", "/l/1", "/l/0"], "trimmed": ["/l/2"]});
    let payload = json!({"l": ["a"], "m": 1});
    assert_eq!(
        rules(contract).content_hash(&payload),
        rules(order_of_entries).content_hash(&json!({"l": ["b"], "m": 1})),
    );
    check(json!({"volatile": ["/l/0", "/l/*"]}), json!({"l": [1, 2]}), json!({"l": []}));
}

#[test]
fn the_lists_are_those_of_the_recorded_revision() {
    let payload = json!({"receivedAt": 1, "sent_at": 2, "page": "https://a.example/?gclid=1&ref=2"});
    let first = json!({"sent_at": 2, "page": "https://a.example/?ref=2"});
    let later = json!({"receivedAt": 1, "page": "https://a.example/?gclid=1"});
    check(json!({"urls": ["/page"]}), payload.clone(), first.clone());
    check(json!({"urls": ["/page"], "builtin": 1}), payload.clone(), first);
    check(json!({"urls": ["/page"], "builtin": LATER_IN_TESTS}), payload, later);
}

#[test]
fn an_unknown_revision_is_refused_and_never_guessed() {
    for revision in [0, builtin::LATEST + 1] {
        let rules = rules(json!({"builtin": revision}));
        let refused = Err(RulesError::UnknownBuiltin { revision });
        assert_eq!(rules.validate(), refused.clone());
        assert_eq!(rules.apply(json!({})).map(drop), refused.clone());
        let pointer = Pointer::parse("/a").expect("a pointer");
        assert_eq!(rules.strips(&pointer).map(drop), refused);
    }
    check_refused(json!({"builtin": 7}), json!({}), "unknown-builtin", "revision 7");
}

#[test]
fn a_contract_without_rules_counts_on_the_newest_lists() {
    assert_eq!(Rules::default().builtin, builtin::LATEST);
    assert_eq!(rules(json!({})).builtin, builtin::FIRST, "what was recorded without a revision is old");
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
        (json!({"content_fields": ["/l/0/t"], "volatile": ["/l/*/t"]}), "never-compared"),
        (json!({"volatile": ["x".repeat(POINTER_LIMIT_BYTES + 1)]}), "entry-too-long"),
        (json!({"urls": ["/ok", format!("/{}", "x".repeat(POINTER_LIMIT_BYTES))]}), "entry-too-long"),
        (json!({"content_fields": vec!["/x"; ENTRIES_LIMIT + 1]}), "too-many-entries"),
        (json!({"volatile": vec!["x"; ENTRIES_LIMIT + 1]}), "too-many-entries"),
    ] {
        assert_eq!(rules(contract.clone()).validate().map_err(|error| error.code()), Err(code), "{contract}");
    }
    for contract in [
        json!({"volatile": vec!["x"; ENTRIES_LIMIT], "times": ["/".repeat(POINTER_LIMIT_BYTES)]}),
        json!({"content_fields": ["/l/*/t"], "volatile": ["/l/0/t"]}),
    ] {
        assert_eq!(rules(contract.clone()).validate(), Ok(()), "{contract}");
    }
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
