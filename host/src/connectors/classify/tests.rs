//! The table of semantics.md, row by row.

use super::*;
use serde_json::json;

fn envelope() -> Envelope {
    Envelope::new("https://crm.example/deals")
}

fn class_of(envelope: &Envelope, status: u16, body: &str, maybe_applied: bool) -> &'static str {
    let reply = Reply { status, retry_after: None, body, truncated: false, valid_text: true };
    classify(envelope, &reply, maybe_applied, 0).class()
}

/// Each status with an empty body, with and without an ambiguous attempt before: the class must not depend on
/// it.
fn check(envelope: &Envelope, statuses: impl IntoIterator<Item = u16>, expected: &str) {
    for status in statuses {
        for maybe_applied in [false, true] {
            assert_eq!(class_of(envelope, status, "", maybe_applied), expected, "{status}");
        }
    }
}

#[test]
fn every_plain_status_has_the_class_of_the_table() {
    let plain = envelope();
    check(&plain, [200, 201, 202, 204, 299], "accepted");
    check(&plain, [300, 301, 302, 303, 304, 307, 308], "permanent");
    check(&plain, [400, 402, 404, 405, 406, 412, 413, 415, 418, 422, 423, 428, 431, 451], "permanent");
    check(&plain, [401, 403, 410], "unauthorised");
    check(&plain, [425, 429], "not-applied");
    check(&plain, [408, 500, 501, 502, 503, 504, 507, 529, 599], "ambiguous");
    check(&plain, [100, 199, 600, 999], "ambiguous");
}

#[test]
fn a_503_is_not_applied_only_where_the_destination_declares_it() {
    let declared = Envelope { unavailable_means_not_applied: true, ..envelope() };
    check(&declared, [503], "not-applied");
    check(&declared, [500, 502, 504], "ambiguous");
}

#[test]
fn s24_a_422_is_a_conflict_only_where_the_problem_says_so() {
    let check = |body: serde_json::Value, expected: &str| {
        assert_eq!(class_of(&envelope(), 422, &body.to_string(), true), expected, "{body}")
    };
    check(json!({"type": "https://r.example/idempotency-key-reused"}), "conflict");
    check(json!({"type": "about:blank", "title": "Idempotency-Key is already used"}), "conflict");
    check(json!({"title": "Unprocessable", "detail": "the field idempotency is not known"}), "permanent");
    check(json!({"title": "email is not valid"}), "permanent");
    check(json!("idempotency"), "permanent");
}

#[test]
fn a_409_is_read_by_the_draft_and_else_by_what_went_before() {
    let check = |body: serde_json::Value, first: &str, after_ambiguous: &str| {
        assert_eq!(class_of(&envelope(), 409, &body.to_string(), false), first, "{body}");
        assert_eq!(class_of(&envelope(), 409, &body.to_string(), true), after_ambiguous, "{body}");
    };
    check(
        json!({"title": "A request is outstanding for this Idempotency-Key"}),
        "in-progress",
        "in-progress",
    );
    check(json!({"type": "https://r.example/idempotency-key-in-use"}), "in-progress", "in-progress");
    check(json!({"type": "https://r.example/idempotency_key_in_progress"}), "in-progress", "in-progress");
    check(json!({"type": "https://r.example/idempotency", "title": "Conflict"}), "conflict", "ambiguous");
    check(json!({"title": "The deal is still in progress"}), "conflict", "ambiguous");
    check(json!({"title": "Deal exists"}), "conflict", "ambiguous");
    check(json!(null), "conflict", "ambiguous");
}

#[test]
fn a_receivers_own_words_come_before_the_status() {
    let stripe = Envelope {
        conflict: Some(Predicate { pointer: "/error/type".into(), equals: json!("idempotency_error") }),
        in_progress: Some(Predicate {
            pointer: "/error/code".into(),
            equals: json!("idempotency_key_in_use"),
        }),
        ..envelope()
    };
    let conflict = json!({"error": {"type": "idempotency_error"}}).to_string();
    let in_use = json!({"error": {"code": "idempotency_key_in_use"}}).to_string();
    assert_eq!(class_of(&stripe, 400, &conflict, false), "conflict");
    assert_eq!(class_of(&stripe, 409, &in_use, false), "in-progress");
    assert_eq!(class_of(&stripe, 400, "{}", false), "permanent");
    assert_eq!(
        class_of(&stripe, 500, &conflict, false),
        "ambiguous",
        "a failing receiver's words prove nothing"
    );
}

#[test]
fn a_2xx_that_says_it_failed_is_as_the_predicate_says() {
    let slack =
        Envelope { success: Some(Predicate { pointer: "/ok".into(), equals: json!(true) }), ..envelope() };
    assert_eq!(class_of(&slack, 200, r#"{"ok":true}"#, false), "accepted");
    let reply = Reply {
        status: 200,
        retry_after: None,
        body: r#"{"ok":false,"error":"no_such_channel"}"#,
        truncated: false,
        valid_text: true,
    };
    let Answer::Permanent(fault) = classify(&slack, &reply, false, 0) else { panic!("not permanent") };
    assert_eq!(fault.cause, "`/ok` is false in the reply, success is true");
    assert_eq!(fault.status, Some(200));
    assert_eq!(class_of(&slack, 200, "{}", false), "permanent");
    let busy = Envelope { success_fails_as: FailsAs::NotApplied, ..slack };
    assert_eq!(class_of(&busy, 200, r#"{"ok":false}"#, false), "not-applied");
}

#[test]
fn a_receipt_that_cannot_be_read_is_accepted_and_flagged() {
    let with_reference = Envelope { reference: Some("/id".into()), ..envelope() };
    let with_success =
        Envelope { success: Some(Predicate { pointer: "/ok".into(), equals: json!(true) }), ..envelope() };
    let check = |envelope: &Envelope,
                 body: &str,
                 truncated: bool,
                 valid_text: bool,
                 readable: bool,
                 reference: Option<&str>| {
        let reply = Reply { status: 201, retry_after: None, body, truncated, valid_text };
        let Answer::Accepted(receipt) = classify(envelope, &reply, false, 0) else {
            panic!("{body:?} was not accepted")
        };
        assert_eq!(
            (receipt.readable, receipt.reference.as_deref(), receipt.truncated),
            (readable, reference, truncated),
            "{body:?}"
        );
        assert_eq!(receipt.body, body);
    };
    check(&with_reference, r#"{"id":"deal-1"}"#, false, true, true, Some("deal-1"));
    check(&with_reference, r#"{"id":9007199254740993}"#, false, true, true, Some("9007199254740993"));
    check(&with_reference, r#"{"id":{}}"#, false, true, true, None);
    check(&with_reference, r#"{"id":"deal-1"}"#, true, true, false, None);
    check(&with_reference, r#"{"id":"deal-1"}"#, false, false, false, None);
    check(&with_reference, "<html>", false, true, false, None);
    check(&with_reference, "", false, true, false, None);
    check(&with_success, "ok", false, true, false, None);
    check(&envelope(), "", false, true, true, None);
    check(&envelope(), "", true, true, false, None);
    check(&envelope(), "ok", false, true, false, None);
}

#[test]
fn an_excerpt_is_one_short_line() {
    let body = "line\n".repeat(1_000);
    let reply =
        Reply { status: 400, retry_after: Some("soon"), body: &body, truncated: false, valid_text: true };
    let answer = classify(&envelope(), &reply, false, 0);
    let fault = answer.fault().unwrap();
    let excerpt = fault.body_excerpt.as_deref().unwrap();
    assert_eq!(excerpt.chars().count(), EXCERPT_LIMIT_CHARS);
    assert!(!excerpt.contains('\n'));
    assert_eq!(fault.retry_after_ms, None);
}
