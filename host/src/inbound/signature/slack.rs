//! Slack's signatures.
//!
//! `X-Slack-Request-Timestamp` (Unix seconds) and `X-Slack-Signature: v0=<hex>` over `v0:timestamp:body`.

use crate::inbound::headers::Headers;
use crate::inbound::signature::Claim;
use crate::inbound::signature::Scheme;
use crate::inbound::signature::SignatureError;
use crate::inbound::signature::hex;
use crate::inbound::signature::timestamp;

const SCHEME: Scheme = Scheme::Slack;
const TIMESTAMP: &str = "x-slack-request-timestamp";
const SIGNATURE: &str = "x-slack-signature";

pub(super) fn claim<'a>(headers: &Headers<'a>) -> Result<Claim<'a>, SignatureError> {
    let header =
        |name| headers.required(name).map_err(|source| SignatureError::Header { scheme: SCHEME, source });
    let (time, value) = (header(TIMESTAMP)?, header(SIGNATURE)?);
    let signed_at = timestamp(SCHEME, TIMESTAMP, time)?;
    let signature = value.strip_prefix("v0=").and_then(hex);
    let expected = "`v0=` and hex digits";
    let signature =
        signature.ok_or(SignatureError::Malformed { scheme: SCHEME, header: SIGNATURE, expected })?;
    Ok(Claim {
        before_body: vec!["v0:", time, ":"],
        signatures: vec![signature],
        message_id: None,
        signed_at: Some(signed_at),
    })
}
