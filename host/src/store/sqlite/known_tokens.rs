//! Tokens that were looked up before, so that not every request reads the ledger for its own.
//!
//! One process owns the ledger, so that nobody else makes or revokes tokens; each such act, in its own transaction, forgets all
//! that is known here, and until that is over nothing is kept. Unknown tokens are never kept: whoever guesses fills nothing.

use crate::store::durable::Durable;
use crate::store::token::TokenRecord;
use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Tokens that are kept; more of them than any host is asked with at once.
const KEPT_MAX: usize = 1_024;

/// What is known of tokens, by their hashes.
#[derive(Default)]
pub(super) struct KnownTokens(Mutex<Known>);

#[derive(Default)]
struct Known {
    tokens: HashMap<[u8; 32], TokenRecord>,
    /// How often tokens were changed. What was read before a change is not kept after it.
    changes: u64,
    /// The last change, until it is over.
    changing: Option<Durable>,
}

impl KnownTokens {
    /// The token, where it is known; else under what it may be kept once it has been read.
    pub(super) fn find(&self, hash: &[u8; 32]) -> Result<TokenRecord, Option<u64>> {
        let mut known = self.lock();
        known.changing.take_if(|change| change.is_over());
        let asked_under = known.changing.is_none().then_some(known.changes);
        known.tokens.get(hash).cloned().ok_or(asked_under)
    }

    /// Keep what was read, unless tokens were changed since it was asked for.
    pub(super) fn keep(&self, hash: [u8; 32], token: &TokenRecord, asked_under: Option<u64>) {
        let mut known = self.lock();
        if asked_under == Some(known.changes) {
            if known.tokens.len() >= KEPT_MAX {
                known.tokens.clear();
            }
            known.tokens.insert(hash, token.clone());
        }
    }

    /// A token is made or revoked in this transaction: look all of them up again, and keep none before it is over.
    pub(super) fn change(&self, change: Durable) {
        let mut known = self.lock();
        known.tokens.clear();
        known.changes += 1;
        known.changing = Some(change);
    }

    fn lock(&self) -> MutexGuard<'_, Known> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::KnownTokens;
    use crate::store::durable::{Commit, Durable, Hurry};
    use crate::store::token::{TokenRecord, Verb};
    use tokio::sync::watch;

    fn token() -> TokenRecord {
        TokenRecord {
            id: "a".to_owned(),
            namespace: "tests".to_owned(),
            name: "robot".to_owned(),
            person: None,
            verbs: [Verb::Invoke].into_iter().collect(),
            created_by: "Ada".to_owned(),
            created_ms: 0,
            revoked_by: None,
            revoked_ms: None,
        }
    }

    #[test]
    fn what_was_read_before_a_revocation_is_not_kept_after_it() {
        let (known, hash) = (KnownTokens::default(), [1; 32]);
        let early = known.find(&hash).unwrap_err();
        let (commit, follow) = watch::channel(Commit::Pending);
        known.change(Durable::following(follow, Hurry::here()));
        known.keep(hash, &token(), early);
        assert_eq!(known.find(&hash), Err(None), "read before");
        known.keep(hash, &token(), None);
        assert_eq!(known.find(&hash), Err(None), "read while it was revoked");
        commit.send_replace(Commit::Done);
        let late = known.find(&hash).unwrap_err();
        known.keep(hash, &token(), late);
        assert_eq!(known.find(&hash), Ok(token()));
    }
}
