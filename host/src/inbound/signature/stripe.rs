//! Stripe's signatures.
//!
//! `Stripe-Signature: t=<Unix seconds>,v1=<hex>,v1=<hex>` over `t.body`, under the whole secret as Stripe shows it. While a
//! secret is exchanged there are several `v1`. Other entries (`v0` is for test fixtures) are passed over.

use crate::inbound::headers::Headers;
use crate::inbound::signature::Claim;
use crate::inbound::signature::Scheme;
use crate::inbound::signature::SignatureError;
use crate::inbound::signature::hex;
use crate::inbound::signature::timestamp;

const SCHEME: Scheme = Scheme::Stripe;
const SIGNATURE: &str = "stripe-signature";

/// The name of the signatures that are understood here.
const VERSION: &str = "v1";

pub(super) fn claim<'a>(headers: &Headers<'a>) -> Result<Claim<'a>, SignatureError> {
    let value =
        headers.required(SIGNATURE).map_err(|source| SignatureError::Header { scheme: SCHEME, source })?;
    let malformed = |expected| SignatureError::Malformed { scheme: SCHEME, header: SIGNATURE, expected };
    let (mut time, mut signatures) = (None, Vec::new());
    for entry in value.split(',') {
        let entry = entry.trim().split_once('=');
        let (name, value) = entry.ok_or_else(|| malformed("entries like `t=...`, separated by commas"))?;
        match name {
            "t" if time.is_some() => return Err(malformed("one time, `t=...`")),
            "t" => time = Some(value),
            VERSION => signatures.push(hex(value).ok_or_else(|| malformed("hex digits after `v1=`"))?),
            _ => {}
        }
    }
    let time = time.ok_or_else(|| malformed("a time, `t=...`"))?;
    let signed_at = timestamp(SCHEME, SIGNATURE, time)?;
    if signatures.is_empty() {
        return Err(SignatureError::NoSuchVersion { scheme: SCHEME, header: SIGNATURE, version: VERSION });
    }
    Ok(Claim { before_body: vec![time, "."], signatures, message_id: None, signed_at: Some(signed_at) })
}
