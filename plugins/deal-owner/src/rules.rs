//! Who owns a deal.
//!
//! It owns the table `owners.json` and how it is read: the first line that fits decides, and the last one fits
//! everything, so that no deal is left without an owner. It refuses a table that ends otherwise.

use lead::Contact;
use serde::Deserialize;

const TABLE: &str = include_str!("owners.json");

/// Countries by the beginning of a telephone number, for contacts that name no country; longer beginnings first.
const DIALLING_CODES: [(&str, &str); 6] = [
    ("+353", "IE"),
    ("+41", "CH"),
    ("+43", "AT"),
    ("+44", "GB"),
    ("+49", "DE"),
    // Shared with Canada, which belongs to the same owner.
    ("+1", "US"),
];

/// One line of the table. What it leaves out fits everything.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Rule {
    countries: Option<Vec<String>>,
    priority: Option<String>,
    owner: String,
}

impl Rule {
    fn fits(&self, country: Option<&str>, priority: &str) -> bool {
        let fits_country = self.countries.as_ref().is_none_or(|countries| {
            country.is_some_and(|country| countries.iter().any(|listed| listed == country))
        });
        fits_country && self.priority.as_ref().is_none_or(|wanted| wanted == priority)
    }
}

/// The owner of a deal with this contact and priority.
pub(crate) fn owner(contact: &Contact, priority: &str) -> Result<String, String> {
    let rules: Vec<Rule> =
        serde_json::from_str(TABLE).map_err(|error| format!("owners.json can't be read: {error}"))?;
    let country = country(contact);
    let fitting = rules.into_iter().find(|rule| rule.fits(country, priority));
    fitting
        .map(|rule| rule.owner)
        .ok_or_else(|| "owners.json has no line that fits; end it with one that fits everything".to_owned())
}

fn country(contact: &Contact) -> Option<&str> {
    let by_number = || {
        let number = contact.phone.as_deref()?;
        DIALLING_CODES.iter().find(|(code, _)| number.starts_with(code)).map(|(_, country)| *country)
    };
    contact.country.as_deref().or_else(by_number)
}

#[cfg(test)]
mod tests {
    use super::owner;
    use lead::Contact;

    #[test]
    fn region_and_priority_pick_the_owner_and_nobody_is_left_without_one() {
        let check = |country: Option<&str>, phone: Option<&str>, priority: &str, expected: &str| {
            let [country, phone] = [country, phone].map(|text| text.map(str::to_owned));
            let contact = Contact { country, phone, ..Contact::default() };
            assert_eq!(owner(&contact, priority).as_deref(), Ok(expected), "{contact:?} {priority}");
        };
        check(Some("DE"), None, "high", "key-accounts-central");
        check(Some("DE"), None, "normal", "sales-central");
        check(None, Some("+35312345678"), "low", "sales-isles");
        check(None, Some("+12025550143"), "high", "sales-america");
        check(Some("FR"), Some("+49301234567"), "high", "key-accounts");
        check(None, None, "normal", "sales-desk");
        check(None, None, "whenever", "sales-desk");
    }
}
