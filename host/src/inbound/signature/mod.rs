//! Signatures of webhooks: whether a request is from whom it says, and fresh.
//!
//! Owns the check that all schemes share (HMAC with SHA-256 over the raw bytes, compared in constant time, within a tolerance to
//! both sides where the scheme has a time) and one file a scheme for where things stand. Several secrets may hold at once, so
//! that one can be exchanged without losing a message.
//!
//! ```text
//!                     headers                                   what is signed           time   id in the signature
//! standard-webhooks   webhook-id, -timestamp, -signature        id "." time "." body     yes    yes
//! github              x-hub-signature-256                       body                     no     no
//! stripe              stripe-signature                          time "." body            yes    in the body
//! slack               x-slack-request-timestamp, -signature     "v0:" time ":" body      yes    in the body
//! ```
//!
//! A repeat within the tolerance passes here; that it does nothing is the ledger's part, which knows the message's id. Where a
//! scheme signs no id ([`Scheme::Github`]), whoever has seen a request can send it again under another id, at any time.
//!
//! Every header that is missing, doubled or malformed is a [`SignatureError`] that names it. No error shows a secret, or the
//! signature that was expected.

mod error;
mod github;
mod slack;
pub(super) mod standard_webhooks;
mod stripe;

use std::fmt;

use hmac::Hmac;
use hmac::KeyInit as _;
use hmac::Mac as _;
use sha2::Sha256;

use crate::inbound::headers::Headers;
pub use crate::inbound::signature::error::SecretError;
pub use crate::inbound::signature::error::SignatureError;

/// How far the signed time may lie from the present, to both sides, where nothing else is set up. The schemes' own
/// libraries allow the same five minutes.
pub const DEFAULT_TOLERANCE_S: u64 = 300;

/// More digits than this make no Unix time in seconds, whatever the century.
const TIMESTAMP_LIMIT_DIGITS: usize = 12;

/// Whose way of signing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scheme {
    /// Standard Webhooks 1.0, symmetric (`v1`).
    StandardWebhooks,
    /// GitHub, `X-Hub-Signature-256`.
    Github,
    /// Stripe, `v1`.
    Stripe,
    /// Slack, `v0`.
    Slack,
}

/// What a good signature says about the message.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Verified {
    /// The id that is part of what was signed; none where the scheme has none.
    pub message_id: Option<String>,
    /// When it was signed, in Unix milliseconds: the time of this attempt, which is no part of a key. None where the scheme
    /// has none.
    pub signed_at_ms: Option<i64>,
}

/// A scheme with its secrets.
#[derive(Clone)]
pub struct Verifier {
    scheme: Scheme,
    keys: Vec<Hmac<Sha256>>,
    tolerance_ms: i64,
}

/// What the headers of a request claim, by the scheme.
struct Claim<'a> {
    /// What is signed before the body.
    before_body: Vec<&'a str>,
    /// Signatures of the version that is understood.
    signatures: Vec<Vec<u8>>,
    message_id: Option<&'a str>,
    signed_at: Option<SignedAt>,
}

/// When it was signed, and which header says so.
#[derive(Clone, Copy)]
struct SignedAt {
    header: &'static str,
    seconds: i64,
}

impl Scheme {
    /// Whether it signs a time, so that a tolerance says something.
    #[must_use]
    pub const fn has_time(self) -> bool {
        !matches!(self, Self::Github)
    }

    fn key(self, secret: &str) -> Result<Vec<u8>, SecretError> {
        match secret.trim() {
            "" => Err(SecretError::Blank { scheme: self }),
            secret if self == Self::StandardWebhooks => standard_webhooks::key(secret),
            secret => Ok(secret.as_bytes().to_vec()),
        }
    }

    fn claim<'a>(self, headers: &Headers<'a>) -> Result<Claim<'a>, SignatureError> {
        match self {
            Self::StandardWebhooks => standard_webhooks::claim(headers),
            Self::Github => github::claim(headers),
            Self::Stripe => stripe::claim(headers),
            Self::Slack => slack::claim(headers),
        }
    }
}

impl fmt::Display for Scheme {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(match self {
            Self::StandardWebhooks => "Standard Webhooks",
            Self::Github => "GitHub",
            Self::Stripe => "Stripe",
            Self::Slack => "Slack",
        })
    }
}

impl Verifier {
    /// A scheme with the secrets that hold, as the provider shows them. White space around a secret does not count.
    ///
    /// # Errors
    /// There is no secret, or one is blank or not of the scheme's kind. The error does not show it.
    pub fn new<S: AsRef<str>>(
        scheme: Scheme,
        secrets: impl IntoIterator<Item = S>,
        tolerance_s: u64,
    ) -> Result<Self, SecretError> {
        let keyed = |secret: S| {
            let key = scheme.key(secret.as_ref())?;
            Ok(Hmac::new_from_slice(&key).expect("HMAC takes a key of any length"))
        };
        let keys = secrets.into_iter().map(keyed).collect::<Result<Vec<_>, SecretError>>()?;
        if keys.is_empty() {
            return Err(SecretError::None { scheme });
        }
        let tolerance_ms = i64::try_from(tolerance_s.saturating_mul(1_000)).unwrap_or(i64::MAX);
        Ok(Self { scheme, keys, tolerance_ms })
    }

    /// Checks a request, whose body is as it came over the wire, at the present time in Unix milliseconds.
    ///
    /// ```
    /// use onceward::inbound::headers::Headers;
    /// use onceward::inbound::signature::{DEFAULT_TOLERANCE_S, Scheme, Verifier};
    ///
    /// let verifier = Verifier::new(Scheme::Github, ["It's a Secret to Everybody"], DEFAULT_TOLERANCE_S)?;
    /// let signature = b"sha256=757107ea0eb2509fc211221cce984b8a37570b6d7586c22c46f4379c8b043e17";
    /// let headers = Headers::new([("x-hub-signature-256", signature.as_slice())]);
    /// assert!(verifier.verify(&headers, b"Hello, World!", 0).is_ok());
    /// assert!(verifier.verify(&headers, b"Hello, world!", 0).is_err());
    /// # Ok::<(), onceward::inbound::signature::SecretError>(())
    /// ```
    ///
    /// # Errors
    /// A header that is missing or malformed, no signature that fits, or a time outside the tolerance.
    pub fn verify(
        &self,
        headers: &Headers<'_>,
        body: &[u8],
        now_ms: i64,
    ) -> Result<Verified, SignatureError> {
        let claim = self.scheme.claim(headers)?;
        if !self.keys.iter().any(|key| claim.is_signed_with(key, body)) {
            return Err(SignatureError::Mismatch { scheme: self.scheme });
        }
        // After the signature, so that only the provider's own clock is ever spoken of.
        let signed_at_ms = claim.signed_at.map(|at| self.check_age(at, now_ms)).transpose()?;
        Ok(Verified { message_id: claim.message_id.map(str::to_owned), signed_at_ms })
    }

    fn check_age(&self, at: SignedAt, now_ms: i64) -> Result<i64, SignatureError> {
        let (scheme, header) = (self.scheme, at.header);
        let signed_at_ms = at.seconds.saturating_mul(1_000);
        let age_ms = now_ms.saturating_sub(signed_at_ms);
        let tolerance_s = self.tolerance_ms / 1_000;
        if age_ms > self.tolerance_ms {
            return Err(SignatureError::TooOld { scheme, header, age_s: age_ms / 1_000, tolerance_s });
        }
        if age_ms < -self.tolerance_ms {
            return Err(SignatureError::TooNew { scheme, header, ahead_s: -(age_ms / 1_000), tolerance_s });
        }
        Ok(signed_at_ms)
    }
}

impl fmt::Debug for Verifier {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.debug_struct("Verifier")
            .field("scheme", &self.scheme)
            .field("secrets", &self.keys.len())
            .field("tolerance_ms", &self.tolerance_ms)
            .finish_non_exhaustive()
    }
}

impl Claim<'_> {
    /// Whether one of the signatures is that of this key. Each is compared in constant time.
    fn is_signed_with(&self, key: &Hmac<Sha256>, body: &[u8]) -> bool {
        let mut mac = key.clone();
        self.before_body.iter().for_each(|part| mac.update(part.as_bytes()));
        mac.update(body);
        self.signatures.iter().any(|signature| mac.clone().verify_slice(signature).is_ok())
    }
}

/// A Unix time in seconds: digits alone.
fn timestamp(scheme: Scheme, header: &'static str, text: &str) -> Result<SignedAt, SignatureError> {
    let plain =
        (1..=TIMESTAMP_LIMIT_DIGITS).contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_digit());
    let seconds = plain.then(|| text.parse().ok()).flatten();
    let malformed = || SignatureError::Malformed { scheme, header, expected: "a Unix time in whole seconds" };
    seconds.map(|seconds| SignedAt { header, seconds }).ok_or_else(malformed)
}

/// The bytes of hex digits in either case; none where it is no hex.
fn hex(text: &str) -> Option<Vec<u8>> {
    let digit = |byte: u8| char::from(byte).to_digit(16).and_then(|digit| u8::try_from(digit).ok());
    let pair = |pair: &[u8]| Some(digit(*pair.first()?)? << 4 | digit(*pair.get(1)?)?);
    (!text.is_empty()).then(|| text.as_bytes().chunks(2).map(pair).collect()).flatten()
}

#[cfg(test)]
mod tests;
