//! What a request is made of: address, method, key header. Each is refused with a cause that never repeats the address,
//! because some hold a token in their path.

use crate::connectors::address_policy::AddressPolicy;
use crate::connectors::envelope::Method;
use reqwest::header;
use reqwest::header::HeaderName;
use reqwest::header::HeaderValue;
use url::Host;
use url::Url;

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

/// The address, if it may be called.
pub(super) fn target(policy: AddressPolicy, url: &str) -> Result<Url, String> {
    let url = Url::parse(url).map_err(|error| {
        format!("the destination's `url` can't be read ({error}): give an absolute http or https address")
    })?;
    if !matches!(url.scheme(), "http" | "https") {
        return Err(format!(
            "the destination's `url` has the scheme `{}`: only http and https are called",
            url.scheme()
        ));
    }
    if !url.username().is_empty() || url.password().is_some() {
        return Err(
            "the destination's `url` holds a credential: put it into an account and name the account"
                .to_owned(),
        );
    }
    // The client connects to literal addresses without asking its resolver, so they are checked here.
    let literal = match url.host() {
        Some(Host::Ipv4(address)) => Some(address.into()),
        Some(Host::Ipv6(address)) => Some(address.into()),
        Some(Host::Domain(_)) | None => None,
    };
    if let Some(address) = literal {
        policy.check(url.host_str().unwrap_or_default(), address).map_err(|refused| refused.to_string())?;
    }
    Ok(url)
}

pub(super) fn method(method: Method) -> reqwest::Method {
    match method {
        Method::Post => reqwest::Method::POST,
        Method::Put => reqwest::Method::PUT,
        Method::Patch => reqwest::Method::PATCH,
    }
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
