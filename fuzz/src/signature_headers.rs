//! Signatures of webhooks: nothing passes that does not hold, and no refusal gives anything away.

use crate::reasons;
use onceward::inbound::headers::Headers;
use onceward::inbound::signature::{DEFAULT_TOLERANCE_S, Scheme, SignatureError, Verified, Verifier};

/// The schemes by their words, each with the secret of its published example.
const SCHEMES: [(&str, Scheme, &str); 4] = [
    ("standard-webhooks", Scheme::StandardWebhooks, "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"),
    ("github", Scheme::Github, "It's a Secret to Everybody"),
    ("stripe", Scheme::Stripe, "whsec_test_secret"),
    ("slack", Scheme::Slack, "8f742231b10e8888abcd99yyyzzz85a5"),
];

/// Another secret, of which no input knows anything.
const OTHER_SECRET: &str = "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA";

/// One request, as it came.
struct Request<'a> {
    now_s: i64,
    scheme: Scheme,
    secret: &'a str,
    headers: Vec<(&'a str, &'a [u8])>,
    body: &'a [u8],
}

impl<'a> Request<'a> {
    /// `NOW SCHEME`, a line for each header, an empty line, the body.
    fn read(bytes: &'a [u8]) -> Option<Self> {
        let (first, mut rest) = line(bytes)?;
        let (now_s, word) = std::str::from_utf8(first).ok()?.split_once(' ')?;
        let (_, scheme, secret) = SCHEMES.into_iter().find(|(name, ..)| *name == word)?;
        let mut headers = Vec::new();
        loop {
            let (head, after) = line(rest)?;
            rest = after;
            if head.is_empty() {
                let now_s = now_s.parse().ok().filter(|now_s: &i64| now_s.checked_mul(1_000).is_some())?;
                return Some(Self { now_s, scheme, secret, headers, body: rest });
            }
            let colon = head.iter().position(|byte| *byte == b':')?;
            headers.push((std::str::from_utf8(&head[..colon]).ok()?, &head[colon + 1..]));
        }
    }

    fn verify(&self, secrets: &[&str], body: &[u8], now_s: i64) -> Result<Verified, SignatureError> {
        let verifier = Verifier::new(self.scheme, secrets, DEFAULT_TOLERANCE_S).expect("usable secrets");
        verifier.verify(&Headers::new(self.headers.iter().copied()), body, now_s.saturating_mul(1_000))
    }
}

/// A request is refused in words that show no secret; or it holds, and then it does not for any other body or secret, nor long
/// before or after its time where it has one, and it does beside further secrets.
///
/// # Panics
/// Where that does not hold.
pub fn check(bytes: &[u8]) {
    let Some(request) = Request::read(bytes) else { return };
    let Request { now_s, secret, body, .. } = request;
    let verified = match request.verify(&[secret], body, now_s) {
        Ok(verified) => verified,
        Err(error) => {
            let told = reasons(&error).join(": ");
            assert!(!told.contains(secret), "the refusal shows the secret: {told}");
            return;
        }
    };
    assert_eq!(request.verify(&[OTHER_SECRET, secret], body, now_s).as_ref(), Ok(&verified));
    assert!(request.verify(&[OTHER_SECRET], body, now_s).is_err(), "it holds under any secret");
    let longer = [body, b" "].concat();
    assert!(request.verify(&[secret], &longer, now_s).is_err(), "it holds for another body");
    assert_eq!(verified.signed_at_ms.is_some(), request.scheme.has_time(), "{verified:?}");
    let Some(signed_at_ms) = verified.signed_at_ms else { return };
    let tolerance_s = i64::try_from(DEFAULT_TOLERANCE_S).expect("a short time");
    assert!((now_s * 1_000).abs_diff(signed_at_ms) <= DEFAULT_TOLERANCE_S * 1_000, "{verified:?} at {now_s}");
    for far_s in [signed_at_ms / 1_000 - tolerance_s - 1, signed_at_ms / 1_000 + tolerance_s + 1] {
        assert!(request.verify(&[secret], body, far_s).is_err(), "it holds at {far_s}: {verified:?}");
    }
}

/// The bytes up to the first line's end, and those after it.
fn line(bytes: &[u8]) -> Option<(&[u8], &[u8])> {
    let end = bytes.iter().position(|byte| *byte == b'\n')?;
    Some((&bytes[..end], &bytes[end + 1..]))
}
