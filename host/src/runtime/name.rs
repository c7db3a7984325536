//! A name as a step or an outside caller gives it: of a slot, a destination, a model, an item or a reference.
//!
//! It refuses what is too long for an index and a screen, and what not every ledger can store, and says which of them.

use crate::runtime::limits::NAME_LIMIT_BYTES;

/// What is wrong with a name.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub(super) enum NameFault {
    /// It is too long.
    #[error("{0} has at most {NAME_LIMIT_BYTES} bytes")]
    Long(&'static str),
    /// It holds the character that ends a text for some ledgers.
    #[error("{0} holds U+0000, which not every ledger can store")]
    Nul(&'static str),
}

/// Refuse a name that can't be one. `what` is whose name it is, with its article.
pub(super) fn check(what: &'static str, name: &str) -> Result<(), NameFault> {
    if name.len() > NAME_LIMIT_BYTES {
        return Err(NameFault::Long(what));
    }
    if name.contains('\0') {
        return Err(NameFault::Nul(what));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::{NameFault, check};
    use crate::runtime::limits::NAME_LIMIT_BYTES;

    #[test]
    fn a_name_is_short_and_without_a_nul() {
        assert_eq!(check("a slot", &"x".repeat(NAME_LIMIT_BYTES)), Ok(()));
        assert_eq!(check("a slot", &"x".repeat(NAME_LIMIT_BYTES + 1)), Err(NameFault::Long("a slot")));
        assert_eq!(check("a slot", "a\0b"), Err(NameFault::Nul("a slot")));
    }
}
