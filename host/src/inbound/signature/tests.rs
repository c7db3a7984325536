//! Published examples of the schemes, and what must never pass.

use proptest::collection::vec;
use proptest::prelude::*;

use super::*;

/// A request that holds, with where it was published.
struct Example {
    scheme: Scheme,
    secret: &'static str,
    headers: Vec<(&'static str, String)>,
    body: &'static str,
    /// The present, in seconds.
    now_s: i64,
    verified: Verified,
}

fn verified(message_id: Option<&str>, signed_at_s: Option<i64>) -> Verified {
    Verified {
        message_id: message_id.map(str::to_owned),
        signed_at_ms: signed_at_s.map(|seconds| seconds * 1_000),
    }
}

/// From the tests of the Standard Webhooks reference libraries (`sign function works`, javascript/src/webhook.test.ts).
fn standard_webhooks() -> Example {
    Example {
        scheme: Scheme::StandardWebhooks,
        secret: "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw",
        headers: vec![
            ("webhook-id", "msg_p5jXN8AQM9LWM0D4loKWxJek".to_owned()),
            ("webhook-timestamp", "1614265330".to_owned()),
            ("webhook-signature", "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=".to_owned()),
        ],
        body: r#"{"test": 2432232314}"#,
        now_s: 1_614_265_330,
        verified: verified(Some("msg_p5jXN8AQM9LWM0D4loKWxJek"), Some(1_614_265_330)),
    }
}

/// The example of the specification's predecessor, which its libraries carry on (`test_sign`, rust/src/lib.rs).
fn standard_webhooks_again() -> Example {
    Example {
        scheme: Scheme::StandardWebhooks,
        secret: "C2FVsBQIhrscChlQIMV+b5sSYspob7oD",
        headers: vec![
            ("webhook-id", "msg_27UH4WbU6Z5A5EzD8u03UvzRbpk".to_owned()),
            ("webhook-timestamp", "1649367553".to_owned()),
            ("webhook-signature", "v1,tZ1I4/hDygAJgO5TYxiSd6Sd0kDW6hPenDe+bTa3Kkw=".to_owned()),
        ],
        body: r#"{"email":"test@example.com","username":"test_user"}"#,
        now_s: 1_649_367_553,
        verified: verified(Some("msg_27UH4WbU6Z5A5EzD8u03UvzRbpk"), Some(1_649_367_553)),
    }
}

/// From GitHub's documentation, "Validating webhook deliveries", testing the webhook payload validation.
fn github() -> Example {
    Example {
        scheme: Scheme::Github,
        secret: "It's a Secret to Everybody",
        headers: vec![(
            "x-hub-signature-256",
            "sha256=757107ea0eb2509fc211221cce984b8a37570b6d7586c22c46f4379c8b043e17".to_owned(),
        )],
        body: "Hello, World!",
        now_s: 0,
        verified: verified(None, None),
    }
}

/// Stripe publishes no example with its secret. This one was computed with Python's `hmac` over `1700000000.` and the body.
fn stripe() -> Example {
    Example {
        scheme: Scheme::Stripe,
        secret: "whsec_test_secret",
        headers: vec![(
            "stripe-signature",
            "t=1700000000,v1=d95c6b7477fbd7e9f90b1b0ef5f9c7ac25abca5382460e0d988c2b2a5b71b990,v0=00"
                .to_owned(),
        )],
        body: r#"{"id":"evt_test_webhook","object":"event"}"#,
        now_s: 1_700_000_000,
        verified: verified(None, Some(1_700_000_000)),
    }
}

/// From Slack's documentation, "Verifying requests from Slack", the step-by-step example.
fn slack() -> Example {
    Example {
        scheme: Scheme::Slack,
        secret: "8f742231b10e8888abcd99yyyzzz85a5",
        headers: vec![
            ("x-slack-request-timestamp", "1531420618".to_owned()),
            (
                "x-slack-signature",
                "v0=a2114d57b48eac39b9ad189dd8316235a7b4a8d21a10bd27519666489c69b503".to_owned(),
            ),
        ],
        body: concat!(
            "token=xyzz0WbapA4vBCDEFasx0q6G&team_id=T1DC2JH3J&team_domain=testteamnow&channel_id=G8PSS9T3V",
            "&channel_name=foobar&user_id=U2CERLKJA&user_name=roadrunner&command=%2Fwebhook-collect&text=",
            "&response_url=https%3A%2F%2Fhooks.slack.com%2Fcommands%2FT1DC2JH3J%2F397700885554",
            "%2F96rGlfmibIGlgcZRskXaIFfN&trigger_id=398738663015.47445629121.803a0bc887a14d10d2c447fce8b6703c",
        ),
        now_s: 1_531_420_618,
        verified: verified(None, Some(1_531_420_618)),
    }
}

fn examples() -> [Example; 5] {
    [standard_webhooks(), standard_webhooks_again(), github(), stripe(), slack()]
}

fn headers<'a>(lines: &'a [(&'static str, String)]) -> Headers<'a> {
    Headers::new(lines.iter().map(|(name, value)| (*name, value.as_bytes())))
}

impl Example {
    fn verify_with(&self, secrets: &[&str]) -> Result<Verified, SignatureError> {
        let verifier = Verifier::new(self.scheme, secrets, DEFAULT_TOLERANCE_S).expect("good secrets");
        verifier.verify(&headers(&self.headers), self.body.as_bytes(), self.now_s * 1_000)
    }

    fn verify(&self) -> Result<Verified, SignatureError> {
        self.verify_with(&[self.secret])
    }

    /// The refusal once a part of the headers' values is replaced.
    fn refused(mut self, from: &str, to: &str) -> String {
        let mut replaced = 0;
        for (_, value) in &mut self.headers {
            replaced += usize::from(value.contains(from));
            *value = value.replace(from, to);
        }
        assert!(replaced > 0, "{from} stands nowhere");
        told(&self.verify().expect_err(to))
    }
}

/// An error with its sources.
fn told(error: &dyn std::error::Error) -> String {
    let mut text = error.to_string();
    let mut source = error.source();
    while let Some(error) = source {
        text = format!("{text}: {error}");
        source = error.source();
    }
    text
}

#[test]
fn the_published_examples_hold() {
    for example in examples() {
        assert_eq!(example.verify(), Ok(example.verified.clone()), "{}", example.scheme);
    }
}

#[test]
fn another_secret_body_time_or_id_does_not_hold() {
    for mut example in examples() {
        let mismatch = Err(SignatureError::Mismatch { scheme: example.scheme });
        assert_eq!(example.verify_with(&["YW5vdGhlciBzZWNyZXQ="]), mismatch);
        let body = std::mem::replace(&mut example.body, "{}");
        assert_eq!(example.verify(), mismatch, "another body");
        example.body = body;
        assert!(example.verify().is_ok());
    }
    let check = |example: Example, from: &str, to: &str| {
        let said = example.refused(from, to);
        assert!(said.contains("no signature fits"), "{from} to {to}: {said}");
    };
    check(standard_webhooks(), "msg_", "msg-");
    check(standard_webhooks(), "1614265330", "1614265331");
    check(stripe(), "t=1700000000", "t=1700000001");
    check(slack(), "1531420618", "1531420619");
}

#[test]
fn the_old_and_the_new_secret_hold_while_one_is_exchanged() {
    for example in examples() {
        let another = "YW5vdGhlciBzZWNyZXQ=";
        for secrets in [[another, example.secret], [example.secret, another]] {
            assert_eq!(example.verify_with(&secrets), Ok(example.verified.clone()), "{}", example.scheme);
        }
        let pasted = format!("\t{} \n", example.secret);
        assert!(example.verify_with(&[&pasted]).is_ok(), "white space is no part of a secret");
    }
}

#[test]
fn one_good_signature_among_several_is_enough() {
    let check = |mut example: Example, from: &str, to: &str| {
        for (_, value) in &mut example.headers {
            *value = value.replace(from, to);
        }
        assert_eq!(example.verify(), Ok(example.verified.clone()), "{to}");
    };
    let other = "v1,Ceo5qEr07ixe2NLpvHk3FH9bwy/WavXrAFQ/9tdO6mc=";
    check(standard_webhooks(), "v1,g0", &format!("{other} v1a,not-base64! v2,x nonsense v1,g0"));
    check(standard_webhooks(), "OE=", &format!("OE {other}"));
    check(stripe(), ",v1=", ",v1=00ff, v1=");
    check(stripe(), ",v0=00", ",v0=no hex,extra=1=2");
    check(github(), "757107ea", "757107EA");
}

#[test]
fn a_signature_holds_within_the_tolerance_to_both_sides_and_not_a_second_longer() {
    for mut example in examples() {
        let signed_s = example.now_s;
        for (away_s, holds) in [(300, true), (-300, true), (301, false), (-301, false), (86_400, false)] {
            example.now_s = signed_s + away_s;
            let outcome = example.verify();
            if holds || !example.scheme.has_time() {
                assert!(outcome.is_ok(), "{} {away_s}", example.scheme);
                continue;
            }
            let said = told(&outcome.expect_err("outside"));
            let away = format!("{} seconds {}", away_s.abs(), if away_s > 0 { "ago" } else { "from now" });
            assert!(said.contains(&away) && said.contains("300 are allowed"), "{said}");
            assert!(said.contains("clock"), "{said}");
        }
    }
    let strict = Verifier::new(Scheme::Slack, [slack().secret], 0).expect("a good secret");
    let example = slack();
    let at = |now_ms| strict.verify(&headers(&example.headers), example.body.as_bytes(), now_ms);
    assert!(at(1_531_420_618_000).is_ok() && at(1_531_420_618_001).is_err());
    assert!(at(i64::MIN).is_err() && at(i64::MAX).is_err());
}

#[test]
fn what_was_not_signed_is_never_too_old() {
    let mut example = slack();
    example.body = "forged";
    example.now_s = 0;
    assert_eq!(example.verify(), Err(SignatureError::Mismatch { scheme: Scheme::Slack }));
}

#[test]
fn a_malformed_header_is_refused_by_name() {
    let check = |example: Example, from: &str, to: &str, says: &[&str]| {
        let said = example.refused(from, to);
        for words in says {
            assert!(said.contains(words), "{to:?} should say {words:?}, but says: {said}");
        }
    };
    let time = "a Unix time in whole seconds";
    check(standard_webhooks(), "1614265330", "now", &["`webhook-timestamp`", time]);
    check(standard_webhooks(), "1614265330", "-1614265330", &["`webhook-timestamp`", time]);
    check(standard_webhooks(), "1614265330", "1614265330.5", &["`webhook-timestamp`", time]);
    check(standard_webhooks(), "1614265330", "1614265330000", &["`webhook-timestamp`", time]);
    check(standard_webhooks(), "1614265330", "ä", &["`webhook-timestamp`", "ASCII"]);
    check(standard_webhooks(), "msg_p5jXN8AQM9LWM0D4loKWxJek", "", &["`webhook-id`", "empty"]);
    check(standard_webhooks(), "v1,g0hM", "v1,!!!!", &["`webhook-signature`", "base64"]);
    check(standard_webhooks(), "v1,", "v1a,", &["`webhook-signature`", "begins with `v1,`"]);
    check(github(), "sha256=", "sha1=", &["`x-hub-signature-256`", "`sha256=`"]);
    check(github(), "043e17", "043e1", &["`x-hub-signature-256`", "hex"]);
    check(github(), "757107ea0eb2509fc211221cce984b8a37570b6d7586c22c46f4379c8b043e17", "", &["hex"]);
    check(github(), "043e17", "043e1g", &["hex"]);
    check(stripe(), "t=1700000000,", "", &["`stripe-signature`", "a time"]);
    check(stripe(), "t=1700000000", "t=1700000000,t=1700000000", &["`stripe-signature`", "one time"]);
    check(stripe(), "t=1700000000", "t=", &["`stripe-signature`", time]);
    check(stripe(), "v1=", "v9=", &["`stripe-signature`", "begins with `v1`"]);
    check(stripe(), "v1=d9", "v1=zz", &["`stripe-signature`", "hex"]);
    check(stripe(), "t=1700000000", "nonsense", &["`stripe-signature`", "separated by commas"]);
    check(slack(), "v0=", "v1=", &["`x-slack-signature`", "`v0=`"]);
    check(slack(), "1531420618", "1531420618 ago", &["`x-slack-request-timestamp`", time]);
}

#[test]
fn a_header_that_is_missing_or_there_twice_is_refused_by_name() {
    for example in examples() {
        for at in 0..example.headers.len() {
            let verifier = Verifier::new(example.scheme, [example.secret], 300).expect("a good secret");
            let refused = |lines: &[(&'static str, String)]| {
                let error = verifier.verify(&headers(lines), example.body.as_bytes(), example.now_s * 1_000);
                told(&error.expect_err("a header too few or too many"))
            };
            let (name, _) = &example.headers[at];
            let mut without = example.headers.clone();
            without.remove(at);
            let said = refused(&without);
            assert!(said.contains(name) && said.contains("missing"), "{said}");
            let mut doubled = example.headers.clone();
            doubled.push(doubled[at].clone());
            let said = refused(&doubled);
            assert!(said.contains(name) && said.contains("more than once"), "{said}");
        }
    }
}

#[test]
fn a_secret_that_can_not_be_one_is_refused_without_being_shown() {
    let refused = |scheme, secrets: &[&str]| {
        Verifier::new(scheme, secrets, DEFAULT_TOLERANCE_S).expect_err("no good secret").to_string()
    };
    assert!(refused(Scheme::Github, &[]).contains("at least one"));
    assert!(refused(Scheme::Slack, &["good", " \n"]).contains("blank"));
    assert!(refused(Scheme::StandardWebhooks, &["whsec_"]).contains("blank"));
    for (secret, says) in
        [("whsec_hidden!", "base64"), ("whpk_hidden", "asymmetric"), ("whsk_hidden", "asymmetric")]
    {
        let said = refused(Scheme::StandardWebhooks, &[secret]);
        assert!(said.contains(says) && !said.contains("hidden"), "{said}");
    }
}

#[test]
fn neither_the_secret_nor_the_right_signature_is_ever_shown() {
    for mut example in examples() {
        let right: Vec<String> = example.headers.iter().map(|(_, value)| value.clone()).collect();
        let verifier = Verifier::new(example.scheme, [example.secret], 300).expect("a good secret");
        assert!(!format!("{verifier:?}").contains(example.secret));
        example.body = "another";
        let error = example.verify().expect_err("another body");
        let said = format!("{} {error:?}", told(&error));
        assert!(!said.contains(example.secret), "{said}");
        assert!(!right.iter().any(|value| said.contains(value.as_str())), "{said}");
    }
}

fn scheme() -> impl Strategy<Value = Scheme> {
    prop_oneof![
        Just(Scheme::StandardWebhooks),
        Just(Scheme::Github),
        Just(Scheme::Stripe),
        Just(Scheme::Slack)
    ]
}

/// Values that come near the schemes' forms, and any bytes.
fn value() -> impl Strategy<Value = Vec<u8>> {
    prop_oneof![
        vec(any::<u8>(), 0..40),
        "(t=|v1=|v0=|v1,|sha256=|v1a,)?[0-9a-fA-F,= /+.]{0,80}".prop_map(String::into_bytes),
        "[0-9]{0,14}".prop_map(String::into_bytes),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn no_header_makes_it_panic_or_pass(
        scheme in scheme(),
        values in vec(value(), 8),
        body in vec(any::<u8>(), 0..40),
        now_ms in any::<i64>(),
    ) {
        const NAMES: [&str; 8] = [
            "webhook-id", "webhook-timestamp", "webhook-signature", "x-hub-signature-256", "stripe-signature",
            "x-slack-request-timestamp", "x-slack-signature", "webhook-signature ",
        ];
        let lines: Vec<_> = NAMES.into_iter().zip(values.iter().map(Vec::as_slice)).collect();
        let verifier = Verifier::new(scheme, ["c2VjcmV0"], DEFAULT_TOLERANCE_S).expect("a good secret");
        prop_assert!(verifier.verify(&Headers::new(lines), &body, now_ms).is_err());
    }
}
