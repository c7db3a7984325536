//! The query of an address, as forms write it.
//!
//! Owns how pairs are split and decoded: `%2F` is a slash, `+` a space. It refuses what could mean
//! two things, a broken escape or bytes that are no UTF-8, by giving nothing.

/// The decoded pairs of a query, in their order. A pair without `=` has an empty value.
pub(super) fn pairs(query: &str) -> Option<Vec<(String, String)>> {
    let pairs = query.split('&').filter(|pair| !pair.is_empty());
    pairs
        .map(|pair| {
            let (name, value) = pair.split_once('=').unwrap_or((pair, ""));
            Some((decode(name)?, decode(value)?))
        })
        .collect()
}

fn decode(text: &str) -> Option<String> {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.bytes();
    while let Some(byte) = rest.next() {
        bytes.push(match byte {
            b'%' => (digit(rest.next()?)? << 4) | digit(rest.next()?)?,
            b'+' => b' ',
            plain => plain,
        });
    }
    String::from_utf8(bytes).ok()
}

fn digit(byte: u8) -> Option<u8> {
    let value = char::from(byte).to_digit(16)?;
    u8::try_from(value).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_query_is_decoded_or_refused() {
        fn check(query: &str, expected: Option<&[(&str, &str)]>) {
            let pairs = pairs(query);
            let seen = pairs.as_ref().map(|pairs| {
                pairs.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect::<Vec<_>>()
            });
            assert_eq!(seen.as_deref(), expected, "{query}");
        }
        check("", Some(&[]));
        check("a=b", Some(&[("a", "b")]));
        check("a=b&&c", Some(&[("a", "b"), ("c", "")]));
        check("a=b=c", Some(&[("a", "b=c")]));
        check("%61=x%2fy%2Fz", Some(&[("a", "x/y/z")]));
        check("a=x+y%20z%2B", Some(&[("a", "x y z+")]));
        check("a=%C3%A9", Some(&[("a", "é")]));
        for query in ["a=%", "a=%2", "a=%2x", "a=%+2", "a=%ff", "%=a"] {
            check(query, None);
        }
    }
}
