//! What providers send, and what becomes of it.

use super::*;
use crate::inbound::signature::DEFAULT_TOLERANCE_S;
use hmac::Hmac;
use hmac::KeyInit as _;
use hmac::Mac as _;
use sha2::Sha256;

const NOW_MS: i64 = 1_700_000_000_000;
const NOW: &str = "1700000000";
const SECRET: &str = "c2VjcmV0";

fn source(kind: Kind) -> Source {
    let verifier = |scheme| Verifier::new(scheme, [SECRET], DEFAULT_TOLERANCE_S).expect("a good secret");
    let proof = kind.scheme().map_or(Proof::Open, |scheme| Proof::Signature(verifier(scheme)));
    Source::new("hook", kind, proof)
}

fn signature(key: &[u8], parts: &[&str]) -> Vec<u8> {
    let mut mac = Hmac::<Sha256>::new_from_slice(key).expect("a key of any length");
    parts.iter().for_each(|part| mac.update(part.as_bytes()));
    mac.finalize().into_bytes().to_vec()
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// The headers with which a provider signs a body.
fn signed(kind: Kind, body: &str) -> Vec<(&'static str, String)> {
    let key = SECRET.as_bytes();
    match kind {
        Kind::Github => vec![("x-hub-signature-256", format!("sha256={}", hex(&signature(key, &[body]))))],
        Kind::Stripe => {
            vec![("stripe-signature", format!("t={NOW},v1={}", hex(&signature(key, &[NOW, ".", body]))))]
        }
        Kind::Slack => vec![
            ("x-slack-request-timestamp", NOW.to_owned()),
            ("x-slack-signature", format!("v0={}", hex(&signature(key, &["v0:", NOW, ":", body])))),
        ],
        Kind::StandardWebhooks | Kind::Json => Vec::new(),
    }
}

fn read(source: &Source, more: &[(&'static str, &str)], body: &str) -> Result<Arrival, SourceError> {
    let signed = signed(source.kind, body);
    let lines = signed.iter().map(|(name, value)| (*name, value.as_bytes()));
    let more = more.iter().map(|(name, value)| (*name, value.as_bytes()));
    source.read(&Headers::new(lines.chain(more)), body.as_bytes(), NOW_MS)
}

fn event(source: &Source, more: &[(&'static str, &str)], body: &str) -> Event {
    match read(source, more, body) {
        Ok(Arrival::Event(event)) => event,
        other => panic!("{body}: {other:?}"),
    }
}

fn told(error: &dyn std::error::Error) -> String {
    error.source().map_or_else(|| error.to_string(), |source| format!("{error}: {}", told(source)))
}

#[track_caller]
fn check_refused(source: &Source, more: &[(&'static str, &str)], body: &str, says: &[&str]) {
    let said = told(&read(source, more, body).expect_err(body));
    for words in says.iter().chain(&["`hook`"]) {
        assert!(said.contains(words), "{body} should say {words:?}, but says: {said}");
    }
}

#[test]
fn each_provider_has_its_own_places_for_id_time_and_payload() {
    let check = |kind, more: &[(&'static str, &str)], body: &str, id: &str, time_ms: Option<i64>| {
        let event = event(&source(kind), more, body);
        assert_eq!((event.source.as_str(), event.id.as_deref()), ("hook", Some(id)), "{kind:?}");
        assert_eq!((event.occurred_at_ms, event.data_text.as_str()), (time_ms, body), "{kind:?}");
    };
    let delivery = ("X-GitHub-Delivery", "72d3162e-cc78-11e3-81ab-4c9367dc0958");
    check(Kind::Github, &[delivery], r#"{"action": "opened"}"#, delivery.1, None);
    check(Kind::Stripe, &[], r#"{"id": "evt_1", "created": 1699999999}"#, "evt_1", Some(1_699_999_999_000));
    let slack = r#"{"type": "event_callback", "event_id": "Ev08", "event_time": 1699999998, "event": {}}"#;
    check(Kind::Slack, &[("content-type", "application/json")], slack, "Ev08", Some(1_699_999_998_000));
}

#[test]
fn a_standard_webhook_is_known_by_its_id_and_never_by_the_time_of_an_attempt() {
    let source = source(Kind::StandardWebhooks);
    let at = |timestamp: &str| {
        let body = r#"{"type": "lead.created"}"#;
        let mac = signature(b"secret", &["msg_1.", timestamp, ".", body]);
        use base64::Engine as _;
        let value = format!("v1,{}", base64::engine::general_purpose::STANDARD.encode(mac));
        let lines =
            [("webhook-id", "msg_1"), ("webhook-timestamp", timestamp), ("webhook-signature", &value)];
        let headers = Headers::new(lines.map(|(name, value)| (name, value.as_bytes())));
        source.read(&headers, body.as_bytes(), NOW_MS).expect("a good request")
    };
    let Arrival::Event(first) = at(NOW) else { panic!("an event") };
    assert_eq!((first.id.as_deref(), &first.occurred_at), (Some("msg_1"), &None));
    assert_eq!(at("1700000060"), Arrival::Event(first), "a later attempt is the same message");
}

#[test]
fn nothing_is_read_before_it_is_proved() {
    let stripe = source(Kind::Stripe);
    for body in ["no JSON", r#"{"id": "evt_1"}"#, ""] {
        let headers = Headers::new([("stripe-signature", b"t=1700000000,v1=00".as_slice())]);
        let error = stripe.read(&headers, body.as_bytes(), NOW_MS).expect_err("forged");
        assert!(matches!(error, SourceError::Unproved { .. }), "{error:?}");
    }
    let mut form = source(Kind::Slack);
    form.proof = Proof::Open;
    check_refused(&form, &[("content-type", "application/x-www-form-urlencoded")], "payload=1", &["events"]);
}

#[test]
fn a_greeting_is_answered_and_is_no_event() {
    let slack = source(Kind::Slack);
    let challenge =
        |text: &str| format!(r#"{{"type": "url_verification", "token": "t", "challenge": {text}}}"#);
    let answer = read(&slack, &[], &challenge("\"3eZbrw1aB10FEMAGAZd4FyFQ\""));
    assert_eq!(answer, Ok(Arrival::Challenge("3eZbrw1aB10FEMAGAZd4FyFQ".to_owned())));
    for wrong in ["\" \"", "7", "null", &format!("\"{}\"", "x".repeat(1_025))] {
        check_refused(&slack, &[], &challenge(wrong), &["`challenge`"]);
    }
    let body = challenge("\"abc\"");
    let unsigned = slack.read(&Headers::new([]), body.as_bytes(), NOW_MS);
    assert!(matches!(unsigned, Err(SourceError::Unproved { .. })), "not even that is answered unproved");

    let github = source(Kind::Github);
    let ping = read(&github, &[("x-github-event", "ping")], r#"{"zen": "Keep it logically awesome."}"#);
    assert_eq!(ping, Ok(Arrival::Challenge("pong".to_owned())));
    let json = source(Kind::Json);
    assert!(matches!(read(&json, &[], &body), Ok(Arrival::Event(_))), "a greeting is its provider's alone");
}

#[test]
fn a_message_without_an_identity_is_refused_with_the_places_where_it_was_looked_for() {
    check_refused(&source(Kind::Github), &[], "{}", &["no identity", "the header `x-github-delivery`"]);
    let both = ["no identity", "`/id` of the body or `/created` of the body"];
    check_refused(&source(Kind::Stripe), &[], r#"{"id": null}"#, &both);
    let timed = event(&source(Kind::Stripe), &[], r#"{"created": 1}"#);
    assert_eq!((timed.id, timed.occurred_at_ms), (None, Some(1_000)), "the time alone is an identity");
    let bare = event(&source(Kind::Json), &[], r#"{"order": 42}"#);
    assert_eq!(
        (bare.id, bare.occurred_at),
        (None, None),
        "where nothing is looked for, the contract decides"
    );
}

#[test]
fn the_operator_says_where_things_stand_in_a_message_of_ones_own() {
    let mut source = source(Kind::Json);
    let pointer = |text: &str| Pointer::parse(text).expect(text);
    source.id = Some(Place::Body(pointer("/meta/number")));
    source.time = Some(TimePlace { place: Place::Header("X-At".to_owned()), format: TimeFormat::UnixMs });
    source.data = Some(pointer("/order"));
    let body = r#"{"meta": {"number": 9007199254740993}, "order": { "total": 1.0 }}"#;
    let event = event(&source, &[("x-at", "1699999999005")], body);
    assert_eq!(event.id.as_deref(), Some("9007199254740993"), "a whole number is exact");
    assert_eq!(
        (event.occurred_at_ms, event.data_text.as_str()),
        (Some(1_699_999_999_005), "{ \"total\": 1.0 }")
    );

    let at = [("x-at", "1699999999005")];
    check_refused(
        &source,
        &at,
        r#"{"order": {}, "meta": {"number": 1.5}}"#,
        &["id", "`/meta/number`", "a number"],
    );
    check_refused(
        &source,
        &at,
        r#"{"order": {}, "meta": {"number": {}}}"#,
        &["id", "`/meta/number`", "an object"],
    );
    check_refused(
        &source,
        &at,
        r#"{"order": {}, "meta": {"number": ""}}"#,
        &["id", "`/meta/number`", "blank"],
    );
    check_refused(&source, &[("x-at", "soon")], body, &["time", "the header `X-At`", "`format`"]);
    check_refused(&source, &[("x-at", "1"), ("X-AT", "2")], body, &["time", "`X-At`", "more than once"]);
    check_refused(&source, &at, r#"{"meta": {"number": 1}}"#, &["`/order`", "`data`"]);
}

#[test]
fn a_message_is_read_as_strictly_as_any_event() {
    let mut source = source(Kind::Json);
    source.id = Some(Place::Header("x-id".to_owned()));
    let id = [("x-id", "1")];
    check_refused(&source, &id, r#"{"a": 1, "a": 2}"#, &["`/a` occurs twice"]);
    check_refused(&source, &id, "", &["ends too early"]);
    check_refused(&source, &id, "a=1&b=2", &["JSON"]);
    check_refused(
        &source,
        &id,
        &format!("\"{}\"", "x".repeat(EVENT_LIMIT_BYTES)),
        &["limit of 1048576 bytes"],
    );
    check_refused(&source, &[("x-id", &"x".repeat(2_049))], "{}", &["`id` has 2049 bytes"]);
    source.id = Some(Place::Body(Pointer::parse("/id").expect("a pointer")));
    check_refused(&source, &[], r#"{"id": "a\u0000b"}"#, &["`id` holds the character U+0000"]);
    let error = source.read(&Headers::new([]), b"\"\xff\"", NOW_MS).expect_err("no UTF-8");
    assert!(told(&error).contains("UTF-8"), "{error:?}");
}

#[test]
fn a_body_of_another_type_is_refused_with_what_its_provider_can_do() {
    let form = [("content-type", "application/x-www-form-urlencoded")];
    check_refused(
        &source(Kind::Github),
        &form,
        "payload=%7B%7D",
        &["x-www-form-urlencoded", "webhook's settings"],
    );
    check_refused(&source(Kind::Slack), &form, "payload=%7B%7D", &["slash commands"]);
    check_refused(&source(Kind::Json), &[("content-type", "text/plain")], "{}", &["`text/plain`", "JSON"]);
}
