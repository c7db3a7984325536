//! Attributes in headers: how the HTTP binding of CloudEvents 1.0 writes them (section 3.1.3.2).
//!
//! A value in double quotes is unquoted first, for senders of older versions; then one round of percent-decoding follows. Refuses
//! a quote that is not closed, a `%` without two hex digits, and bytes that are no UTF-8.

/// The text that a header's value stands for, or what is wrong with it.
pub(super) fn decode(value: &str) -> Result<String, &'static str> {
    let plain = match value.strip_prefix('"') {
        Some(quoted) => unquote(quoted).ok_or("in a double quote that is not closed at its end")?,
        None => value.to_owned(),
    };
    let mut bytes = Vec::with_capacity(plain.len());
    let mut rest = plain.as_bytes();
    while let Some((&byte, after)) = rest.split_first() {
        rest = after;
        if byte != b'%' {
            bytes.push(byte);
            continue;
        }
        let digits = rest.split_at_checked(2).and_then(|(digits, after)| Some((hex_byte(digits)?, after)));
        let (decoded, after) = digits.ok_or("one with a `%` that is not followed by two hex digits")?;
        bytes.push(decoded);
        rest = after;
    }
    String::from_utf8(bytes).map_err(|_| "no UTF-8 where it is percent-encoded")
}

/// What stands before the closing quote, which must be the end.
fn unquote(quoted: &str) -> Option<String> {
    let mut plain = String::with_capacity(quoted.len());
    let mut characters = quoted.chars();
    loop {
        match characters.next()? {
            '"' => return characters.next().is_none().then_some(plain),
            '\\' => plain.push(characters.next()?),
            character => plain.push(character),
        }
    }
}

fn hex_byte(digits: &[u8]) -> Option<u8> {
    let text =
        std::str::from_utf8(digits).ok().filter(|text| text.bytes().all(|byte| byte.is_ascii_hexdigit()))?;
    u8::from_str_radix(text, 16).ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn a_value_is_unquoted_and_decoded_once() {
        let check =
            |value: &str, expected: &str| assert_eq!(decode(value).as_deref(), Ok(expected), "{value}");
        // The binding's own example.
        check("Euro%20%E2%82%AC%20%F0%9F%98%80", "Euro € 😀");
        check("/mycontext/subcontext", "/mycontext/subcontext");
        check("%41%e2%82%ac", "A€");
        check("100%2525", "100%25");
        check("\"a b\\\"c\\\\%20d\"", "a b\"c\\ d");
        check("a\"b\"", "a\"b\"");
        check("\"\"", "");
    }

    #[test]
    fn what_breaks_the_encoding_is_refused() {
        let check = |value: &str, says: &str| {
            let problem = decode(value).expect_err(value);
            assert!(problem.contains(says), "{value}: {problem}");
        };
        // The binding's own example of an overlong encoding.
        check("%C0%A0", "no UTF-8");
        check("%ff", "no UTF-8");
        check("50%", "two hex digits");
        check("%2", "two hex digits");
        check("%+1", "two hex digits");
        check("%zz", "two hex digits");
        check("\"open", "not closed");
        check("\"a\"b", "not closed");
        check("\"a\\", "not closed");
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn what_is_encoded_comes_back(text in any::<String>()) {
            let encoded: String = text.bytes().map(|byte| format!("%{byte:02x}")).collect();
            prop_assert_eq!(decode(&encoded), Ok(text));
        }

        #[test]
        fn no_value_makes_it_panic(value in "[ -~]{0,40}") {
            let _ = decode(&value);
        }
    }
}
