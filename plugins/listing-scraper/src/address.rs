//! What makes two addresses the same listing.
//!
//! It owns the normal form of an address, which is the host's (`tests/vectors/identity/url.json` holds for both): the
//! host compares whole payloads by it, and this step needs it for each listing. It refuses what is no web address, and
//! what is too long to be a key; no refusal repeats the address, which may hold a credential.

use url::Url;

/// The host takes no longer key of an item.
const KEY_MAX_BYTES: usize = 512;

/// Query parameters that say how a visitor came, never what the page is; besides those that begin with `utm_`.
const TRACKING: [&str; 23] = [
    "_ga",
    "_gl",
    "_hsenc",
    "_hsmi",
    "dclid",
    "fbclid",
    "gad_source",
    "gbraid",
    "gclid",
    "gclsrc",
    "hsctatracking",
    "igsh",
    "igshid",
    "li_fat_id",
    "mc_cid",
    "mc_eid",
    "mkt_tok",
    "msclkid",
    "ttclid",
    "twclid",
    "vero_id",
    "wbraid",
    "yclid",
];

/// The key of a listing, which is its address without what changes from one visit to the next.
pub(crate) fn key(address: &str) -> Result<String, String> {
    let key = normal(address)?;
    if key.len() > KEY_MAX_BYTES {
        return Err(format!("its address has {} bytes, and a key has at most {KEY_MAX_BYTES}", key.len()));
    }
    Ok(key)
}

fn normal(address: &str) -> Result<String, String> {
    let mut url = Url::parse(address).map_err(|error| format!("its address is no URL: {error}"))?;
    if !matches!(url.scheme(), "http" | "https") {
        return Err("its address is not one of the web (http or https)".to_owned());
    }
    if !url.username().is_empty() || url.password().is_some() {
        return Err("its address holds a user name or a password".to_owned());
    }
    url.set_fragment(None);
    let query = url.query().and_then(normal_query);
    url.set_query(query.as_deref());
    let is_bare_root = query.is_none() && url.path() == "/";
    let mut text = String::from(url);
    if is_bare_root {
        text.pop();
    }
    Ok(text)
}

/// The parameters that count, in order; none where there are none.
fn normal_query(query: &str) -> Option<String> {
    let mut pairs: Vec<(&str, &str)> = query
        .split('&')
        .filter(|pair| !pair.is_empty() && !is_tracking(pair))
        .map(|pair| pair.split_at(pair.find('=').unwrap_or(pair.len())))
        .collect();
    pairs.sort_unstable();
    let kept: Vec<String> = pairs.into_iter().map(|(name, value)| format!("{name}{value}")).collect();
    (!kept.is_empty()).then(|| kept.join("&"))
}

fn is_tracking(pair: &str) -> bool {
    let name = url::form_urlencoded::parse(pair.as_bytes()).next();
    name.is_some_and(|(name, _)| {
        let name = name.to_ascii_lowercase();
        TRACKING.contains(&name.as_str()) || name.starts_with("utm_")
    })
}

#[cfg(test)]
mod tests {
    use super::key;
    use super::normal;
    use serde_json::Value;

    #[test]
    fn the_normal_form_is_the_hosts() {
        let vectors: Vec<Value> =
            serde_json::from_str(include_str!("../../../tests/vectors/identity/url.json")).unwrap();
        for vector in vectors {
            let text = vector.pointer("/given/text").and_then(Value::as_str).unwrap();
            let expected = vector.pointer("/expect/normal").and_then(Value::as_str);
            assert_eq!(normal(text).ok().as_deref(), expected, "{}", vector["name"]);
        }
    }

    #[test]
    fn an_address_that_is_too_long_is_no_key() {
        let long = format!("https://homes.example/{}", "x".repeat(600));
        assert!(key(&long).is_err_and(|why| why.contains("622 bytes") && !why.contains("xxx")));
    }
}
