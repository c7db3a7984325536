//! Media types, as far as it matters here: whether a body is JSON.

use crate::inbound::headers::HeaderError;
use crate::inbound::headers::Headers;

/// What a body's type is read from.
const CONTENT_TYPE: &str = "content-type";

/// How much of a type that is refused is shown, since a hostile one can be as long as all headers may be.
const SHOWN_LIMIT_CHARACTERS: usize = 80;

/// The type of a body in lower case, without its parameters; none where the request does not say.
///
/// # Errors
/// [`HeaderError`], where the header is there twice, empty or no printable ASCII.
pub fn of(headers: &Headers<'_>) -> Result<Option<String>, HeaderError> {
    Ok(headers.get(CONTENT_TYPE)?.map(essence))
}

/// A type in lower case, without its parameters.
pub(super) fn essence(value: &str) -> String {
    value.split(';').next().unwrap_or_default().trim().to_ascii_lowercase()
}

/// Whether this is JSON, alone or as the base of another format (RFC 6839).
#[must_use]
pub fn is_json(media_type: &str) -> bool {
    media_type == "application/json"
        || media_type.strip_prefix("application/").is_some_and(|subtype| subtype.ends_with("+json"))
}

/// A type as a refusal shows it.
#[must_use]
pub fn shown(media_type: &str) -> String {
    media_type.chars().take(SHOWN_LIMIT_CHARACTERS).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn json_is_told_by_its_type_alone() {
        let check = |value: &str, expected: bool| {
            let headers = Headers::new([("content-type", value.as_bytes())]);
            let media_type = of(&headers).expect(value).expect(value);
            assert_eq!(is_json(&media_type), expected, "{value}");
        };
        check("application/json", true);
        check("Application/JSON ; charset=utf-8", true);
        check("application/vnd.shop+json", true);
        check("application/x-www-form-urlencoded", false);
        check("text/json", false);
        check("application/jsonx", false);
        check("image/svg+json", false);
        check(";", false);
        assert_eq!(of(&Headers::new([])), Ok(None));
    }
}
