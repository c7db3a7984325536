//! Scenarios from the field, as far as identity decides them, and the claims F1 to F6 of the mission.

use serde_json::Value;
use serde_json::json;

use crate::identity::event::Event;
use crate::identity::key::RootKey;
use crate::identity::pointer::POINTER_LIMIT_BYTES;
use crate::identity::readable_key::CUT_MARK;
use crate::identity::readable_key::READABLE_KEY_LIMIT_CHARACTERS;
use crate::identity::rules::Rules;
use crate::identity::work_id::FIELDS_LIMIT;
use crate::identity::work_id::Identified;
use crate::identity::work_id::Identity;
use crate::identity::work_id::IdentityError;
use crate::identity::work_id::VALUE_LIMIT_BYTES;
use crate::identity::work_id::cache_key;
use crate::identity::work_id::follow_up_id;
use crate::identity::work_id::identify;
use crate::identity::work_id::row_id;

const ENQUIRY_AND_CONTACT: [&str; 2] = ["/contact/email", "/enquiry_id"];

fn event(envelope: &str) -> Event {
    Event::parse(envelope.as_bytes()).expect(envelope)
}

fn with_data(id: &str, data: &Value) -> Event {
    event(&json!({"source": "form", "id": id, "data": data}).to_string())
}

fn business(fields: &[&str]) -> Identity {
    Identity::BusinessKey(fields.iter().map(|field| (*field).to_owned()).collect())
}

fn try_work(identity: &Identity, event: &Event) -> Result<Identified, IdentityError> {
    identify("acme", "lead-intake", 1, identity, &Rules::default(), event)
}

fn work(identity: &Identity, event: &Event) -> Identified {
    try_work(identity, event).expect("an event with an identity")
}

#[test]
fn s03_two_enquiries_of_one_contact_in_a_day_are_two_works() {
    let pricing = json!({"contact": {"email": "ada@example.com"}, "enquiry_id": "e-1", "about": "pricing"});
    let support = json!({"contact": {"email": "ada@example.com"}, "enquiry_id": "e-2", "about": "support"});
    for identity in [Identity::EventKey, Identity::Content, business(&ENQUIRY_AND_CONTACT)] {
        let (one, other) =
            (work(&identity, &with_data("m-1", &pricing)), work(&identity, &with_data("m-2", &support)));
        assert_ne!(one.work_id, other.work_id, "{identity:?}");
        assert_ne!(one.root_key, other.root_key, "{identity:?}: their effects must be apart too");
    }
}

#[test]
fn s12_member_order_number_spelling_and_a_fresh_received_at_do_not_count() {
    let first = event(
        r#"{"source": "s", "id": "1", "data": {"a": 1.0, "b": {"c": "x", "d": -0}, "receivedAt": "10:00"}}"#,
    );
    let again = event(
        r#"{"data": {"receivedAt":"10:05","b":{"d":0.0,"c":"\u0078"},"a":1}, "id": "1", "source": "s"}"#,
    );
    for identity in [Identity::EventKey, Identity::Content, business(&["/a", "/b/c"])] {
        assert_eq!(work(&identity, &first), work(&identity, &again), "{identity:?}");
    }
    let changed = event(r#"{"source": "s", "id": "1", "data": {"a": 1.5, "b": {"c": "x", "d": 0}}}"#);
    assert_ne!(work(&Identity::Content, &first).work_id, work(&Identity::Content, &changed).work_id);
    let (stored, came) = (work(&Identity::EventKey, &first), work(&Identity::EventKey, &changed));
    assert_eq!(stored.work_id, came.work_id);
    assert_ne!(
        stored.content_hash, came.content_hash,
        "the same key with another content must show as a mismatch"
    );
}

#[test]
fn s13_an_envelope_id_that_is_new_with_each_retry_does_not_count() {
    let order = |request: &str| json!({"order": {"id": 7}, "total": "9.50", "meta": {"request_id": request}});
    let (first, again) = (with_data("retry-1", &order("r-1")), with_data("retry-2", &order("r-2")));
    for identity in [business(&["/order/id"]), Identity::Content] {
        assert_eq!(work(&identity, &first), work(&identity, &again), "{identity:?}");
    }
    let (first, again) = (work(&Identity::EventKey, &first), work(&Identity::EventKey, &again));
    assert_ne!(first.work_id, again.work_id, "only the declared fields make them the same");
    assert_eq!(first.content_hash, again.content_hash);
}

#[test]
fn f1_the_original_time_stands_in_for_a_missing_id() {
    let at = |time: &str| event(&json!({"source": "s", "time": time, "data": {}}).to_string());
    let first = work(&Identity::EventKey, &at("2026-11-29T10:00:00Z"));
    assert_eq!(first, work(&Identity::EventKey, &at("2026-11-29T11:00:00.000+01:00")));
    assert_ne!(first.work_id, work(&Identity::EventKey, &at("2026-11-29T10:00:00.001Z")).work_id);
    let within_one_ms = ["10:00:00.0001Z", "10:00:00.0009Z", "10:00:00.000900001Z"]
        .map(|time| work(&Identity::EventKey, &at(&format!("2026-11-29T{time}"))).work_id);
    assert!(within_one_ms[0] != within_one_ms[1] && within_one_ms[1] != within_one_ms[2]);
    assert!(!within_one_ms.contains(&first.work_id), "a millisecond can hold many events");
    let named = event(r#"{"source": "s", "id": "2026-11-29T10:00:00.000Z", "data": {}}"#);
    assert_eq!(at("2026-11-29T10:00:00Z").occurred_at, named.id);
    assert_ne!(
        first.work_id,
        work(&Identity::EventKey, &named).work_id,
        "an id that looks like the time is another key"
    );
    let both = event(r#"{"source": "s", "id": "1", "time": "2026-11-29T10:00:00Z", "data": {}}"#);
    let id_alone = event(r#"{"source": "s", "id": "1", "data": {}}"#);
    assert_eq!(
        work(&Identity::EventKey, &both),
        work(&Identity::EventKey, &id_alone),
        "a retry's time never joins an id"
    );
    let error =
        try_work(&Identity::EventKey, &event(r#"{"source": "s", "data": {"x": 1}}"#)).expect_err("no key");
    assert!(error.to_string().contains("`id`") && error.to_string().contains("`time`"), "{error}");
}

#[test]
fn f2_a_raised_version_is_new_work_with_the_same_root_and_the_same_effects() {
    let event = with_data("1", &json!({"x": 1}));
    for identity in [Identity::EventKey, Identity::Content, business(&["/x"])] {
        let version = |version| {
            identify("acme", "s", version, &identity, &Rules::default(), &event).expect("an identity")
        };
        let (old, new) = (version(1), version(2));
        assert_ne!(old.work_id, new.work_id);
        assert_eq!(old.root_key, new.root_key);
        assert_eq!(
            row_id("acme", &old.root_key, "crm", "deal", 1),
            row_id("acme", &new.root_key, "crm", "deal", 1)
        );
    }
}

#[test]
fn f2_kinds_of_identity_and_namespaces_never_meet() {
    let event = event(r#"{"source": "x", "id": "y", "data": "x"}"#);
    let ids = [Identity::EventKey, Identity::Content].map(|identity| work(&identity, &event).work_id);
    assert_ne!(ids[0], ids[1]);
    let of = |namespace, step| {
        identify(namespace, step, 1, &Identity::EventKey, &Rules::default(), &event).expect("a key")
    };
    assert_ne!(of("a", "bc").work_id, of("ab", "c").work_id);
    assert_ne!(of("a", "s").root_key, of("b", "s").root_key);
}

#[test]
fn f4_a_contact_alone_is_warned_about() {
    for weak in
        [&["/email"][..], &["/Lead/E-Mail"], &["/contact/phone_number"], &["/tel"], &["/email", "/mobile"]]
    {
        let warnings = business(weak).warnings();
        assert!(warnings.len() == 1 && warnings[0].contains(weak[0]), "{weak:?}: {warnings:?}");
    }
    for sound in [&ENQUIRY_AND_CONTACT[..], &["/order/id"], &["/hotel"], &["/email/message_id"]] {
        assert_eq!(business(sound).warnings(), Vec::<String>::new(), "{sound:?}");
    }
    assert!(Identity::EventKey.warnings().is_empty() && Identity::Content.warnings().is_empty());
    let same = |about: &str| {
        work(&business(&["/email"]), &with_data(about, &json!({"email": "a@b.example", "about": about})))
    };
    assert_eq!(
        same("pricing").work_id,
        same("support").work_id,
        "this is the collapse that the warning speaks of"
    );
}

#[test]
fn f5_a_new_run_id_never_makes_old_work_new() {
    let run = |id: u32| {
        with_data("m-1", &json!({"lead": 1, "run_id": id, "n8n": {"executionId": id, "retry_count": id}}))
    };
    for identity in [Identity::EventKey, Identity::Content, business(&["/lead"])] {
        assert_eq!(work(&identity, &run(1)), work(&identity, &run(2)), "{identity:?}");
    }
    let error = try_work(&business(&["/lead", "/run_id"]), &run(1)).expect_err("a run id in the key");
    assert_eq!(error, IdentityError::VolatileField { pointer: "/run_id".to_owned() });
}

#[test]
fn f6_an_effect_is_named_by_its_work_and_slot() {
    let root = RootKey::from_bytes([7; 32]);
    let row = row_id("acme", &root, "crm", "deal", 1);
    let others = [
        row_id("other", &root, "crm", "deal", 1),
        row_id("acme", &RootKey::from_bytes([8; 32]), "crm", "deal", 1),
        row_id("acme", &root, "mail", "deal", 1),
        row_id("acme", &root, "crm", "task", 1),
        row_id("acme", &root, "crm", "deal", 2),
        row_id("acme", &root, "crmd", "eal", 1),
    ];
    assert!(others.iter().all(|other| *other != row), "{others:?}");
}

#[test]
fn every_part_of_a_derived_id_counts() {
    let root = RootKey::from_bytes([7; 32]);
    let next = follow_up_id("n", &root, 1, "s", 1);
    for other in [
        follow_up_id("m", &root, 1, "s", 1),
        follow_up_id("n", &root, 2, "s", 1),
        follow_up_id("n", &root, 1, "t", 1),
        follow_up_id("n", &root, 1, "s", 2),
        follow_up_id("n", &RootKey::from_bytes([8; 32]), 1, "s", 1),
    ] {
        assert_ne!(other, next);
    }
    let question = ["n", "model", "p1", "0.2", "{}", "[]"];
    let key = |parts: [&str; 6]| cache_key(parts[0], parts[1], parts[2], parts[3], parts[4], parts[5]);
    for changed in 0..question.len() {
        let mut other = question;
        other[changed] = "x";
        assert_ne!(key(other), key(question), "argument {changed}");
    }
}

#[test]
fn a_missing_business_field_is_named_and_never_empty() {
    for data in
        [json!({}), json!({"a": null}), json!({"a": ""}), json!({"a": " \n"}), json!([1]), json!(null)]
    {
        let error = try_work(&business(&["/a"]), &with_data("1", &data)).expect_err("nothing at /a");
        assert_eq!(error, IdentityError::MissingField { pointer: "/a".to_owned() }, "{data}");
    }
    let error =
        try_work(&business(&["/a"]), &with_data("1", &json!({"a": {"b": 1}}))).expect_err("an object");
    assert_eq!(error, IdentityError::NotScalar { pointer: "/a".to_owned(), found: "an object" });
    let false_is_a_value = try_work(&business(&["/a"]), &with_data("1", &json!({"a": false})));
    assert!(false_is_a_value.is_ok());
}

#[test]
fn an_empty_payload_is_no_identity() {
    for data in [json!(null), json!({}), json!([]), json!(""), json!(" "), json!({"receivedAt": 1})] {
        assert_eq!(
            try_work(&Identity::Content, &with_data("1", &data)),
            Err(IdentityError::EmptyPayload),
            "{data}"
        );
    }
    assert!(try_work(&Identity::Content, &with_data("1", &json!(0))).is_ok());
}

#[test]
fn a_business_key_is_no_place_for_content() {
    let key = |text: String| try_work(&business(&["/a"]), &with_data("1", &json!({"a": text})));
    assert!(key("x".repeat(VALUE_LIMIT_BYTES - 2)).is_ok(), "with its quotes it has the limit's length");
    let error = key("x".repeat(VALUE_LIMIT_BYTES - 1)).expect_err("one byte too many");
    assert_eq!(error, IdentityError::ValueTooLong { pointer: "/a".to_owned(), bytes: VALUE_LIMIT_BYTES + 1 });
    let readable = key("\u{1b}[31m\u{202e}".repeat(500)).expect("a long key").readable_key;
    assert!(readable.chars().count() <= READABLE_KEY_LIMIT_CHARACTERS, "{readable}");
    assert!(readable.is_ascii() || readable.ends_with(CUT_MARK), "{readable}");
    assert!(!readable.chars().any(|mark| mark.is_control() || mark == '\u{202e}'), "{readable}");
}

#[test]
fn a_bad_declaration_is_refused_when_it_is_loaded() {
    let many: Vec<String> = (0..=FIELDS_LIMIT).map(|number| format!("/{number}")).collect();
    let many: Vec<&str> = many.iter().map(String::as_str).collect();
    let long = format!("/{}", "x".repeat(POINTER_LIMIT_BYTES));
    assert_eq!(business(&many[1..]).validate(), Ok(()));
    assert_eq!(business(&["/a", &long[1..].replacen('x', "/", 1)]).validate(), Ok(()));
    for (identity, code) in
        [(business(&many), "too-many-fields"), (business(&["/a", &long]), "pointer-too-long")]
    {
        assert_eq!(identity.validate().map_err(|error| error.code()), Err(code), "{identity:?}");
    }
    for (identity, code) in [
        (business(&[]), "no-fields"),
        (business(&["/a", "b"]), "bad-pointer"),
        (business(&["/*/a"]), "wild-field"),
    ] {
        assert_eq!(identity.validate().map_err(|error| error.code()), Err(code), "{identity:?}");
        assert!(try_work(&identity, &with_data("1", &json!({"a": 1}))).is_err(), "{identity:?}");
    }
    for identity in [Identity::EventKey, Identity::Content, business(&["/a"])] {
        assert_eq!(identity.validate(), Ok(()));
    }
}
