//! The fencing token: proof that a claim is still the latest one.

use std::fmt;

/// A number from one sequence that is never reset. A later claim has a greater token, and a write that carries an older
/// one changes nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Token(i64);

impl Token {
    /// The token with this number, as the store keeps it.
    #[must_use]
    pub const fn from_number(number: i64) -> Self {
        Self(number)
    }

    /// The number, as the store keeps it.
    #[must_use]
    pub const fn number(self) -> i64 {
        self.0
    }
}

impl fmt::Display for Token {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}
