//! JSON numbers: one value for each number, however it is spelled.
//!
//! Owns the choice between an exact 64-bit integer and a double. It works on the digits as they were written,
//! so that a large integer can't be rounded before anyone sees it.
//!
//! Refuses whole numbers that 64 bits can't hold, and numbers larger than the largest double. That goes for
//! `1e20` as for its twenty-one digits: ECMAScript writes both alike, and what is written must be readable
//! again. From `1e21` on, ECMAScript writes an exponent, and such numbers are doubles; their plain digits
//! stay refused.

use serde_json::Number;

/// More digits than any 64-bit integer has, so that longer ones need not be built.
const INTEGER_DIGITS_LIMIT: usize = 20;

/// Why a well-formed number has no value here.
pub(crate) enum NumberRefusal {
    /// A whole number that 64 bits can't hold, written (or canonically written) as plain digits.
    Integer,
    /// Larger than the largest double.
    TooLarge,
}

/// The value of a number that is known to be well formed.
pub(crate) fn read_number(literal: &str) -> Result<Number, NumberRefusal> {
    if let Some(integer) = exact_integer(literal) {
        return Ok(integer);
    }
    if !literal.contains(['.', 'e', 'E']) {
        return Err(NumberRefusal::Integer);
    }
    let double: f64 = literal.parse().map_err(|_| NumberRefusal::TooLarge)?;
    let number = Number::from_f64(double).ok_or(NumberRefusal::TooLarge)?;
    // A double whose text is a plain integer (any whole number below 1e21) must read like that text, or what
    // is written canonically could not be read again.
    let mut buffer = ryu_js::Buffer::new();
    let text = buffer.format_finite(double);
    if text.contains(['.', 'e']) { Ok(number) } else { exact_integer(text).ok_or(NumberRefusal::Integer) }
}

/// The integer that a number is, computed on its digits and so never rounded; nothing where it has a fraction
/// or where neither `i64` nor `u64` holds it.
fn exact_integer(literal: &str) -> Option<Number> {
    let (negative, unsigned) = match literal.strip_prefix('-') {
        Some(unsigned) => (true, unsigned),
        None => (false, literal),
    };
    let (mantissa, exponent) = unsigned.split_once(['e', 'E']).unwrap_or((unsigned, "0"));
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let all = format!("{whole}{fraction}");
    let significant = all.trim_end_matches('0');
    let digits = significant.trim_start_matches('0');
    if digits.is_empty() {
        return Some(Number::from(0));
    }
    let dropped = i64::try_from(all.len() - significant.len()).ok()?;
    let exponent = saturating_exponent(exponent);
    let zeros = exponent.saturating_sub(i64::try_from(fraction.len()).ok()?).saturating_add(dropped);
    let zeros = usize::try_from(zeros)
        .ok()
        .filter(|zeros| zeros.saturating_add(digits.len()) <= INTEGER_DIGITS_LIMIT)?;
    let plain = format!("{}{digits}{}", if negative { "-" } else { "" }, "0".repeat(zeros));
    match plain.parse::<i64>() {
        Ok(integer) => Some(Number::from(integer)),
        Err(_) => plain.parse::<u64>().ok().map(Number::from),
    }
}

/// An exponent's value, or the nearest end of `i64` where it has more digits than that.
fn saturating_exponent(digits: &str) -> i64 {
    digits.parse().unwrap_or(if digits.starts_with('-') { i64::MIN } else { i64::MAX })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(literal: &str, expected: &str) {
        let found = match read_number(literal) {
            Ok(number) => number.to_string(),
            Err(NumberRefusal::Integer) => "integer".to_owned(),
            Err(NumberRefusal::TooLarge) => "too large".to_owned(),
        };
        assert_eq!(found, expected, "{literal}");
    }

    #[test]
    fn a_whole_number_is_exact_however_it_is_spelled() {
        for one in ["1", "1.0", "1.000", "1e0", "10e-1", "0.1E1", "0.001e+3", "100000000000000000000000e-23"]
        {
            check(one, "1");
        }
        for zero in ["0", "-0", "-0.0", "0e999999999999999999999", "0.000e-5", "1e-999999999999999999999"] {
            check(zero, "0");
        }
        check("9007199254740993.0", "9007199254740993");
        check("-9223372036854775808", "-9223372036854775808");
        check("1.8446744073709551615e19", "18446744073709551615");
    }

    #[test]
    fn what_would_be_rounded_is_refused() {
        check("18446744073709551616", "integer");
        check("-9223372036854775809", "integer");
        check("100000000000000000000", "integer");
        check("1e20", "integer");
        check("1.8446744073709551616e19", "integer");
        check("1000000000000000000000", "integer");
        check("1e21", "1e+21");
        check("1e309", "too large");
        check("-1e999999999999999999999", "too large");
    }

    #[test]
    fn a_fraction_is_the_nearest_double() {
        check("0.1", "0.1");
        check("0.10000000000000000555", "0.1");
        check("9007199254740993.5", "9007199254740994");
        check("9223372036854775808.5", "9223372036854776000");
    }
}
