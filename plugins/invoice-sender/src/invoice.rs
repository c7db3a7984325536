//! An invoice, and when a person lets it go first.
//!
//! It owns the shape, which takes money as a whole number of the currency's smallest unit and nothing else: a fraction
//! in binary is never exactly what was meant. It refuses an amount of nothing and a currency that is none.

use serde::Deserialize;
use serde::Serialize;

/// From these amounts on, in the currency's smallest unit, a person approves. An invoice in another currency is always
/// approved: nobody has said what is much in it.
const APPROVED_FROM: [(&str, u64); 4] =
    [("CHF", 100_000), ("EUR", 100_000), ("GBP", 100_000), ("USD", 100_000)];

/// An invoice as it comes in, and as it goes out.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, Serialize)]
pub struct Invoice {
    /// Who issues it.
    pub issuer: String,
    /// The issuer's number of it.
    pub number: String,
    /// Who pays.
    pub customer: String,
    /// How much.
    pub amount: Money,
    /// When it is due, as the issuer writes it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub due: Option<String>,
}

/// An amount of money.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct Money {
    /// In the currency's smallest unit: cents, pence, yen.
    pub minor: u64,
    /// Three capital letters (ISO 4217).
    pub currency: String,
}

impl Invoice {
    /// What is wrong with it, if anything.
    pub(crate) fn fault(&self) -> Option<String> {
        let Money { minor, currency } = &self.amount;
        if currency.len() != 3 || !currency.bytes().all(|letter| letter.is_ascii_uppercase()) {
            return Some(format!(
                "the currency is {currency:?}; write three capital letters, such as \"EUR\""
            ));
        }
        (*minor == 0).then(|| "the amount is 0; nobody pays nothing".to_owned())
    }

    /// Why a person approves it before it goes out, if so.
    pub(crate) fn approval(&self) -> Option<String> {
        let Money { minor, currency } = &self.amount;
        let Some((_, from)) = APPROVED_FROM.iter().find(|(known, _)| known == currency) else {
            return Some(format!(
                "{minor} in the smallest unit of {currency}, for which no threshold is set"
            ));
        };
        (minor >= from)
            .then(|| format!("{minor} in the smallest unit of {currency}; approved from {from} on"))
    }
}

#[cfg(test)]
mod tests {
    use super::Invoice;
    use super::Money;

    fn invoice(minor: u64, currency: &str) -> Invoice {
        Invoice {
            issuer: "ACME".into(),
            number: "2026-7".into(),
            customer: "Ada".into(),
            amount: Money { minor, currency: currency.into() },
            due: None,
        }
    }

    #[test]
    fn a_large_amount_and_an_unknown_currency_are_approved_by_a_person() {
        for (minor, currency, held) in
            [(1, "EUR", false), (99_999, "EUR", false), (100_000, "EUR", true), (1, "JPY", true)]
        {
            assert_eq!(invoice(minor, currency).approval().is_some(), held, "{minor} {currency}");
        }
    }

    #[test]
    fn money_has_an_amount_and_a_currency() {
        for (minor, currency, good) in
            [(1, "EUR", true), (0, "EUR", false), (1, "eur", false), (1, "EURO", false), (1, "€", false)]
        {
            assert_eq!(invoice(minor, currency).fault().is_none(), good, "{minor} {currency}");
        }
    }
}
