//! Standard Webhooks 1.0, symmetric signatures.
//!
//! `webhook-id`, `webhook-timestamp` (Unix seconds of the attempt) and `webhook-signature`, a list of `v1,<base64>` separated by
//! spaces. Signed is `id.timestamp.body` under the bytes that a secret `whsec_<base64>` stands for. Signatures of other
//! versions (`v1a` is asymmetric) are passed over.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD_PAD_INDIFFERENT;

use crate::inbound::headers::Headers;
use crate::inbound::signature::Claim;
use crate::inbound::signature::Scheme;
use crate::inbound::signature::SecretError;
use crate::inbound::signature::SignatureError;
use crate::inbound::signature::timestamp;

const SCHEME: Scheme = Scheme::StandardWebhooks;

/// The header with the message's id, which stays the same in every attempt.
pub(in crate::inbound) const ID: &str = "webhook-id";
const TIMESTAMP: &str = "webhook-timestamp";
const SIGNATURE: &str = "webhook-signature";

/// How a signature begins that is understood here.
const VERSION: &str = "v1,";

/// How a secret begins. The specification's own libraries take it without, too.
const SECRET_PREFIX: &str = "whsec_";

/// How the keys of asymmetric signatures begin.
const ASYMMETRIC_PREFIXES: [&str; 2] = ["whpk_", "whsk_"];

pub(super) fn key(secret: &str) -> Result<Vec<u8>, SecretError> {
    if ASYMMETRIC_PREFIXES.iter().any(|prefix| secret.starts_with(prefix)) {
        return Err(SecretError::Asymmetric);
    }
    let encoded = secret.strip_prefix(SECRET_PREFIX).unwrap_or(secret);
    let key = STANDARD_PAD_INDIFFERENT.decode(encoded).map_err(|_| SecretError::NotBase64)?;
    if key.is_empty() { Err(SecretError::Blank { scheme: SCHEME }) } else { Ok(key) }
}

pub(super) fn claim<'a>(headers: &Headers<'a>) -> Result<Claim<'a>, SignatureError> {
    let header =
        |name| headers.required(name).map_err(|source| SignatureError::Header { scheme: SCHEME, source });
    let (id, time, list) = (header(ID)?, header(TIMESTAMP)?, header(SIGNATURE)?);
    let signed_at = timestamp(SCHEME, TIMESTAMP, time)?;
    let signatures = list
        .split_ascii_whitespace()
        .filter_map(|signature| signature.strip_prefix(VERSION))
        .map(|encoded| STANDARD_PAD_INDIFFERENT.decode(encoded).ok())
        .collect::<Option<Vec<_>>>();
    let expected = "a list of `v1,` and base64, separated by spaces";
    match signatures {
        None => Err(SignatureError::Malformed { scheme: SCHEME, header: SIGNATURE, expected }),
        Some(signatures) if signatures.is_empty() => {
            Err(SignatureError::NoSuchVersion { scheme: SCHEME, header: SIGNATURE, version: VERSION })
        }
        Some(signatures) => Ok(Claim {
            before_body: vec![id, ".", time, "."],
            signatures,
            message_id: Some(id),
            signed_at: Some(signed_at),
        }),
    }
}
