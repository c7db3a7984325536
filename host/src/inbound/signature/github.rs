//! GitHub's signatures, which others use as well.
//!
//! `X-Hub-Signature-256: sha256=<hex>` over the body alone. Neither a time nor the delivery's id is signed, so a request that
//! somebody has seen can be sent again under another id. The old `X-Hub-Signature` (SHA-1) is not looked at.

use crate::inbound::headers::Headers;
use crate::inbound::signature::Claim;
use crate::inbound::signature::Scheme;
use crate::inbound::signature::SignatureError;
use crate::inbound::signature::hex;

const SCHEME: Scheme = Scheme::Github;
const SIGNATURE: &str = "x-hub-signature-256";

pub(super) fn claim<'a>(headers: &Headers<'a>) -> Result<Claim<'a>, SignatureError> {
    let value =
        headers.required(SIGNATURE).map_err(|source| SignatureError::Header { scheme: SCHEME, source })?;
    let signature = value.strip_prefix("sha256=").and_then(hex);
    let expected = "`sha256=` and hex digits";
    let signature =
        signature.ok_or(SignatureError::Malformed { scheme: SCHEME, header: SIGNATURE, expected })?;
    Ok(Claim { before_body: Vec::new(), signatures: vec![signature], message_id: None, signed_at: None })
}
