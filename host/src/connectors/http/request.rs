//! What a delivery's request is made of beside its address: method and key header. Each is refused with its cause.

use crate::connectors::envelope::Method;
use reqwest::header;
use reqwest::header::HeaderName;
use reqwest::header::HeaderValue;

/// Headers that the connector itself sets; a key in one of them would break the request or the credential.
const RESERVED_HEADERS: [HeaderName; 7] = [
    header::AUTHORIZATION,
    header::HOST,
    header::CONTENT_TYPE,
    header::CONTENT_LENGTH,
    header::TRANSFER_ENCODING,
    header::CONNECTION,
    header::EXPECT,
];

pub(super) fn method(method: Method) -> reqwest::Method {
    match method {
        Method::Post => reqwest::Method::POST,
        Method::Put => reqwest::Method::PUT,
        Method::Patch => reqwest::Method::PATCH,
    }
}

/// The header for a credential: `Authorization`, or any that the request does not need for itself.
pub(super) fn credential_header(name: &str) -> Option<HeaderName> {
    let header = HeaderName::from_bytes(name.as_bytes()).ok()?;
    (header == header::AUTHORIZATION || !RESERVED_HEADERS.contains(&header)).then_some(header)
}

pub(super) fn key_header(name: &str, key: &str) -> Result<(HeaderName, HeaderValue), String> {
    let header = HeaderName::from_bytes(name.as_bytes())
        .map_err(|_| format!("`key_header` is {name:?}, which is no header name"))?;
    if RESERVED_HEADERS.contains(&header) {
        return Err(format!(
            "`key_header` is `{header}`, which the request needs for itself: choose another, such as `Idempotency-Key`"
        ));
    }
    let value = HeaderValue::from_str(key)
        .map_err(|_| "the key holds characters that a header can't carry".to_owned())?;
    Ok((header, value))
}
