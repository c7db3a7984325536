//! Addresses with places to fill, and the fingerprint in a body.
//!
//! Owns the small language of a destination's address: `{key}` is the row's key, `{/contact/email}` is the value that the
//! payload has at that JSON Pointer. Values are percent-encoded as a whole, so that none of them can add a path segment or a
//! parameter. It refuses a place that the payload does not fill, because an upsert on an empty field would meet somebody
//! else's record. Both functions give the same bytes at every attempt, since a row's payload never changes.

use serde_json::Value;

/// What stands for the row's key.
const KEY: &str = "key";

/// Fill the places of an address. The cause of a refusal never repeats the address.
///
/// ```
/// use onceward::connectors::template::fill;
/// let url = fill("https://crm.example/by-email/{/email}", "ab12", br#"{"email":"a/b@example.com"}"#)?;
/// assert_eq!(url, "https://crm.example/by-email/a%2Fb%40example.com");
/// # Ok::<(), String>(())
/// ```
///
/// # Errors
/// A place that is not closed, has no name known here, or that the payload leaves empty.
pub fn fill(url: &str, key: &str, body: &[u8]) -> Result<String, String> {
    let mut filled = String::with_capacity(url.len());
    let mut rest = url;
    while let Some((before, after)) = rest.split_once('{') {
        let (place, after) = after.split_once('}').ok_or_else(|| {
            "a place in the destination's `url` is not closed: write {key} or {/pointer}".to_owned()
        })?;
        filled.push_str(before);
        filled.extend(
            url::form_urlencoded::byte_serialize(value(place, key, body)?.as_bytes()).map(plus_to_percent),
        );
        rest = after;
    }
    filled.push_str(rest);
    Ok(filled)
}

/// A form writes a space as `+`, which in a path is a plus sign.
fn plus_to_percent(piece: &str) -> &str {
    if piece == "+" { "%20" } else { piece }
}

fn value(place: &str, key: &str, body: &[u8]) -> Result<String, String> {
    if place == KEY {
        return Ok(key.to_owned());
    }
    if !place.starts_with('/') {
        return Err(format!(
            "the destination's `url` has the place {{{place}}}: write {{key}} or {{/pointer}}"
        ));
    }
    let payload: Value = serde_json::from_slice(body)
        .map_err(|error| format!("the payload can't be read as JSON: {error}"))?;
    match payload.pointer(place) {
        Some(Value::String(text)) if !text.trim().is_empty() => Ok(text.clone()),
        Some(Value::Number(number)) => Ok(number.to_string()),
        _ => Err(format!("the payload has nothing at `{place}`, which the destination's `url` needs")),
    }
}

/// The body with the row's key at a place, by which a look-up will find the record. Objects on the way are made.
///
/// ```
/// use onceward::connectors::template::with_fingerprint;
/// let body = with_fingerprint(br#"{"title":"x"}"#, "/meta/external_id", "ab12")?;
/// assert_eq!(body, br#"{"meta":{"external_id":"ab12"},"title":"x"}"#);
/// # Ok::<(), String>(())
/// ```
///
/// # Errors
/// A body that is no JSON object, a place that is no pointer to a member, or one that the payload fills itself.
pub fn with_fingerprint(body: &[u8], place: &str, key: &str) -> Result<Vec<u8>, String> {
    let mut payload: Value = serde_json::from_slice(body)
        .map_err(|error| format!("the payload can't be read as JSON: {error}"))?;
    let mut tokens = place.strip_prefix('/').into_iter().flat_map(|path| path.split('/')).peekable();
    let mut at = &mut payload;
    while let Some(token) = tokens.next() {
        let token = token.replace("~1", "/").replace("~0", "~");
        let Value::Object(members) = at else {
            return Err(format!(
                "the payload has no object on the way to `{place}`, where the fingerprint belongs"
            ));
        };
        if tokens.peek().is_none() {
            if members.contains_key(&token) {
                return Err(format!("the payload fills `{place}` itself, where the fingerprint belongs"));
            }
            members.insert(token, Value::String(key.to_owned()));
            return serde_json::to_vec(&payload).map_err(|error| error.to_string());
        }
        at = members.entry(token).or_insert_with(|| Value::Object(serde_json::Map::new()));
    }
    Err(format!("`fingerprint` is {place:?}, which is no JSON Pointer to a member"))
}

#[cfg(test)]
mod tests {
    use super::{fill, with_fingerprint};

    #[test]
    fn a_value_never_adds_a_segment_or_a_parameter() {
        let check = |value: &str, filled: &str| {
            let body = serde_json::json!({ "v": value }).to_string();
            assert_eq!(fill("https://a.example/{/v}?x={key}", "k", body.as_bytes()).unwrap(), filled);
        };
        check("a b", "https://a.example/a%20b?x=k");
        check("../admin", "https://a.example/..%2Fadmin?x=k");
        check("x?y=1&z#f", "https://a.example/x%3Fy%3D1%26z%23f?x=k");
        check("{key}", "https://a.example/%7Bkey%7D?x=k");
        check("a+b", "https://a.example/a%2Bb?x=k");
    }

    #[test]
    fn a_place_that_nothing_fills_is_refused_by_name() {
        let check = |url: &str, body: &str, said: &str| {
            let refused = fill(url, "k", body.as_bytes()).unwrap_err();
            assert!(refused.contains(said), "{refused}");
            assert!(!refused.contains("secret"), "{refused}");
        };
        check("https://a.example/secret/{/email}", "{}", "/email");
        check("https://a.example/secret/{/email}", "{\"email\":\" \"}", "/email");
        check("https://a.example/secret/{email}", "{}", "{/pointer}");
        check("https://a.example/secret/{/email", "{}", "not closed");
    }

    #[test]
    fn a_fingerprint_never_overwrites_what_the_step_wrote() {
        assert!(with_fingerprint(br#"{"id":"mine"}"#, "/id", "k").is_err());
        assert!(with_fingerprint(b"[]", "/id", "k").is_err());
        assert!(with_fingerprint(b"{}", "", "k").is_err());
        assert!(with_fingerprint(br#"{"a":1}"#, "/a/b", "k").is_err());
    }
}
