//! Who wrote, in one form.
//!
//! It owns how names, e-mail addresses, telephone numbers and countries are written. It refuses nothing: what can't be
//! brought into its form is kept as it was typed, or left out where it would be misread, and a doubt says so. No
//! country is made up for a number that has none.

use crate::message::Person;
use lead::Contact;

/// A telephone number has at most 15 digits (ITU-T E.164).
const PHONE_MAX_DIGITS: usize = 15;

/// Shorter numbers are extensions or typing errors: nobody can be called back under them.
const PHONE_MIN_DIGITS: usize = 5;

/// What people put between the digits of a telephone number.
const PHONE_SEPARATORS: [char; 7] = [' ', '\u{a0}', '-', '.', '/', '(', ')'];

/// The contact in its normal form. Doubts are added for people to read, and repeat nothing that was typed.
pub(crate) fn contact(person: Person, doubts: &mut Vec<String>) -> Contact {
    let (named, address) = match person.email.as_deref().and_then(name_and_address) {
        Some((name, address)) => (filled(Some(name)), filled(Some(address))),
        None => (None, filled(person.email)),
    };
    Contact {
        name: filled(person.name).or(named).map(|name| one_line(&name)),
        email: address.map(|typed| normal_or_typed("e-mail address", &typed, email(&typed), doubts)),
        phone: filled(person.phone)
            .map(|typed| normal_or_typed("telephone number", &typed, phone(&typed), doubts)),
        country: filled(person.country).and_then(|typed| {
            let normal = country(&typed);
            if normal.is_none() {
                doubts.push("the country is not two letters and is left out".to_owned());
            }
            normal
        }),
    }
}

/// Text that says something, without the white space around it.
pub(crate) fn filled(text: Option<impl AsRef<str>>) -> Option<String> {
    text.map(|text| text.as_ref().trim().to_owned()).filter(|text| !text.is_empty())
}

fn normal_or_typed(what: &str, typed: &str, normal: Option<String>, doubts: &mut Vec<String>) -> String {
    normal.unwrap_or_else(|| {
        doubts.push(format!("the {what} can't be read and is kept as it was typed"));
        typed.to_owned()
    })
}

fn one_line(name: &str) -> String {
    name.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// The two parts of `Ada <ada@example.com>`.
fn name_and_address(text: &str) -> Option<(&str, &str)> {
    let (name, address) = text.trim().strip_suffix('>')?.split_once('<')?;
    Some((name.trim().trim_matches('"'), address))
}

/// In lower case: no mail system in use tells two people apart by the case of a letter, and CRMs compare texts.
fn email(text: &str) -> Option<String> {
    let text = text.strip_prefix("mailto:").unwrap_or(text);
    let (local, domain) = text.split_once('@')?;
    let strange = |character: char| character.is_whitespace() || character.is_control() || character == '@';
    let is_address =
        !local.is_empty() && domain.split('.').all(|label| !label.is_empty()) && !domain.contains(strange);
    (is_address && !local.contains(strange)).then(|| text.to_lowercase())
}

/// Digits alone, with a `+` before them where the country is part of the number.
fn phone(text: &str) -> Option<String> {
    let text = text.strip_prefix("tel:").unwrap_or(text).trim();
    let (is_international, rest) = match text.strip_prefix('+').or_else(|| text.strip_prefix("00")) {
        Some(rest) => (true, rest),
        None => (false, text),
    };
    // The trunk zero of `+44 (0)20` is dialled at home alone.
    let rest = if is_international { rest.replacen("(0)", "", 1) } else { rest.to_owned() };
    let digits: String = rest.chars().filter(|character| !PHONE_SEPARATORS.contains(character)).collect();
    let is_number = (PHONE_MIN_DIGITS..=PHONE_MAX_DIGITS).contains(&digits.len())
        && digits.chars().all(|character| character.is_ascii_digit());
    is_number.then(|| format!("{}{digits}", if is_international { "+" } else { "" }))
}

fn country(text: &str) -> Option<String> {
    let letters = text.len() == 2 && text.chars().all(|character| character.is_ascii_alphabetic());
    letters.then(|| text.to_ascii_uppercase())
}

#[cfg(test)]
mod tests {
    use super::contact;
    use super::email;
    use super::phone;
    use crate::message::Person;

    #[test]
    fn one_address_has_one_form() {
        let check =
            |text: &str, expected: Option<&str>| assert_eq!(email(text).as_deref(), expected, "{text}");
        check("Ada@Example.COM", Some("ada@example.com"));
        check("mailto:ada@example.com", Some("ada@example.com"));
        check("ada+news@example.com", Some("ada+news@example.com"));
        for text in ["ada", "ada@", "@example.com", "a da@example.com", "ada@example..com", "a@b@c"] {
            check(text, None);
        }
    }

    #[test]
    fn one_number_has_one_form_and_no_country_is_made_up() {
        let check =
            |text: &str, expected: Option<&str>| assert_eq!(phone(text).as_deref(), expected, "{text}");
        check("+44 (0)20 7946-0018", Some("+442079460018"));
        check("0049 30/901820", Some("+4930901820"));
        check("tel:+1-202-555-0143", Some("+12025550143"));
        check("030 901820", Some("030901820"));
        check("(0)30 901820", Some("030901820"));
        for text in ["call me", "123", "+1 202 555 0143 ext. 7", "1234567890123456", "+"] {
            check(text, None);
        }
    }

    #[test]
    fn what_cannot_be_read_is_kept_as_it_was_typed_and_a_doubt_says_so() {
        let typed = Person {
            name: Some("  Ada\n Lovelace ".into()),
            email: Some("ada at example".into()),
            phone: Some(" ".into()),
            country: Some("Germany".into()),
        };
        let mut doubts = Vec::new();
        let read = contact(typed, &mut doubts);
        assert_eq!(read.name.as_deref(), Some("Ada Lovelace"));
        assert_eq!((read.email.as_deref(), read.phone, read.country), (Some("ada at example"), None, None));
        assert_eq!(doubts.len(), 2, "{doubts:?}");
    }

    #[test]
    fn the_sender_of_a_mail_has_a_name_beside_the_address() {
        let mut doubts = Vec::new();
        let from = |name: Option<&str>| Person {
            name: name.map(str::to_owned),
            email: Some("\"Ada L.\" <Ada@Example.com>".into()),
            ..Person::default()
        };
        let read = contact(from(None), &mut doubts);
        assert_eq!((read.name.as_deref(), read.email.as_deref()), (Some("Ada L."), Some("ada@example.com")));
        let read = contact(from(Some("Ada")), &mut doubts);
        assert_eq!((read.name.as_deref(), doubts.len()), (Some("Ada"), 0));
    }
}
