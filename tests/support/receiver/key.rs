//! The `Idempotency-Key` header.
//!
//! Owns how it is read: plain, as most senders write it, or quoted, as the draft has it. It refuses
//! what could mean two things, with the answer to send.

use axum::http::HeaderMap;
use axum::http::HeaderName;

use crate::receiver::answer::Answer;

/// The longest key, as common payment APIs have it.
const KEY_LIMIT_BYTES: usize = 255;

const IDEMPOTENCY_KEY: HeaderName = HeaderName::from_static("idempotency-key");

/// Reads the key: plain, as most senders write it, or quoted, as the draft's RFC 8941 string. The
/// two spellings are one key.
pub(super) fn read(headers: &HeaderMap) -> Result<Option<String>, Answer> {
    let mut values = headers.get_all(IDEMPOTENCY_KEY).iter();
    let Some(value) = values.next() else {
        return Ok(None);
    };
    let text = value.to_str().unwrap_or_default().trim();
    let key = match text.strip_prefix('"') {
        Some(rest) => unquote(rest),
        None => Some(text.to_owned()),
    };
    match key {
        Some(key) if (1..=KEY_LIMIT_BYTES).contains(&key.len()) && values.next().is_none() => Ok(Some(key)),
        _ => Err(Answer::bad_request(format!(
            "the Idempotency-Key can't be read; send one, of 1 to {KEY_LIMIT_BYTES} ASCII \
             characters, plain or as a quoted string"
        ))),
    }
}

/// Reads an RFC 8941 string after its first quote.
fn unquote(rest: &str) -> Option<String> {
    let mut key = String::new();
    let mut characters = rest.chars();
    loop {
        match characters.next()? {
            '"' => return characters.as_str().is_empty().then_some(key),
            '\\' => match characters.next()? {
                escaped @ ('"' | '\\') => key.push(escaped),
                _ => return None,
            },
            plain => key.push(plain),
        }
    }
}

#[cfg(test)]
mod tests {
    use axum::http::HeaderValue;

    use super::*;

    fn check(values: &[&str], expected: Option<Option<&str>>) {
        let mut headers = HeaderMap::new();
        for value in values {
            headers.append(IDEMPOTENCY_KEY, HeaderValue::from_str(value).unwrap());
        }
        let key = read(&headers).ok();
        assert_eq!(key.as_ref().map(Option::as_deref), expected, "{values:?}");
    }

    #[test]
    fn a_quoted_key_and_a_plain_one_are_the_same() {
        check(&[], Some(None));
        check(&["abc"], Some(Some("abc")));
        check(&[r#""abc""#], Some(Some("abc")));
        check(&[r#""a\"b\\c""#], Some(Some(r#"a"b\c"#)));
        check(&[&"k".repeat(255)], Some(Some(&"k".repeat(255))));
    }

    #[test]
    fn a_key_that_could_mean_two_things_is_refused() {
        check(&[""], None);
        check(&[r#""""#], None);
        check(&["a", "a"], None);
        check(&[r#""a"#], None);
        check(&[r#""a"b"#], None);
        check(&[r#""a\n""#], None);
        check(&["ä"], None);
        check(&[&"k".repeat(256)], None);
    }
}
