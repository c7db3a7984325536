//! Tokens: who may ask this ledger for what, over the API.
//!
//! A token belongs to one namespace, and names what may be done with it; no verb brings another one along. Of the token itself
//! nothing is kept but a hash, so that whoever reads the ledger can't use it. One that was revoked stays, as the record of
//! who could do what. Approving is a person's: such a token names one, and an agent's never has it.

use crate::identity::key::digest;
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;
use utoipa::ToSchema;

/// The label under which a token is hashed.
const LABEL: &str = "onceward/token";

/// What can be done with a token.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Verb {
    /// Run a step, and ask how the work stands.
    Invoke,
    /// Claim, record, settle and the like, for a program that does its effects itself.
    Primitives,
    /// Look at everything, and decide about what has stopped.
    Operate,
    /// Let held rows and decisions go on.
    Approve,
    /// Make and revoke tokens, erase, and stop everything.
    Admin,
}

impl Verb {
    /// All verbs.
    pub const ALL: [Self; 5] = [Self::Invoke, Self::Primitives, Self::Operate, Self::Approve, Self::Admin];

    /// The word that is stored and shown.
    #[must_use]
    pub const fn word(self) -> &'static str {
        match self {
            Self::Invoke => "invoke",
            Self::Primitives => "primitives",
            Self::Operate => "operate",
            Self::Approve => "approve",
            Self::Admin => "admin",
        }
    }

    /// The verb of this word.
    #[must_use]
    pub fn from_word(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|verb| verb.word() == word)
    }
}

/// Some verbs.
///
/// ```
/// use onceward::store::token::{Verb, VerbSet};
/// let verbs: VerbSet = [Verb::Operate, Verb::Invoke].into_iter().collect();
/// assert!(verbs.contains(Verb::Invoke) && !verbs.contains(Verb::Admin));
/// assert_eq!(verbs.words(), "invoke operate");
/// assert_eq!(VerbSet::from_words("operate invoke"), Some(verbs));
/// assert_eq!(VerbSet::from_words("fly"), None);
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(transparent)]
pub struct VerbSet(BTreeSet<Verb>);

impl VerbSet {
    /// Whether it is among them.
    #[must_use]
    pub fn contains(&self, verb: Verb) -> bool {
        self.0.contains(&verb)
    }

    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Their words in order, with spaces between them.
    #[must_use]
    pub fn words(&self) -> String {
        self.0.iter().map(|verb| verb.word()).collect::<Vec<_>>().join(" ")
    }

    /// The verbs of these words; none where one of them is no verb.
    #[must_use]
    pub fn from_words(words: &str) -> Option<Self> {
        words.split_whitespace().map(Verb::from_word).collect::<Option<_>>().map(Self)
    }
}

impl FromIterator<Verb> for VerbSet {
    fn from_iter<I: IntoIterator<Item = Verb>>(verbs: I) -> Self {
        Self(verbs.into_iter().collect())
    }
}

/// What a token is known by.
///
/// ```
/// use onceward::store::token::hash;
/// assert_ne!(hash("one"), hash("other"));
/// ```
#[must_use]
pub fn hash(token: &str) -> [u8; 32] {
    digest(LABEL, &[token.as_bytes()])
}

/// A token to be kept.
#[derive(Clone, Debug, Serialize)]
pub struct NewToken {
    /// What people call it by, within the namespace. It is no secret.
    pub id: String,
    /// The namespace that it opens.
    pub namespace: String,
    /// What it is for.
    pub name: String,
    /// The person who uses it, where it is a person's.
    pub person: Option<String>,
    /// What can be done with it.
    pub verbs: VerbSet,
    /// Its [`hash`].
    pub hash: [u8; 32],
}

/// What became of a token that was to be kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "kebab-case")]
pub enum TokenCreated {
    /// It opens its namespace.
    Applied,
    /// Its id or its hash is on record; nothing was changed.
    Taken,
    /// It could approve, and names no person; nothing was kept.
    NeedsPerson,
    /// Nothing could be done with it; nothing was kept.
    NeedsVerb,
}

/// A token as it is kept.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct TokenRecord {
    /// What people call it by.
    pub id: String,
    /// The namespace that it opens.
    pub namespace: String,
    /// What it is for.
    pub name: String,
    /// The person who uses it.
    pub person: Option<String>,
    /// What can be done with it.
    pub verbs: VerbSet,
    /// Who made it, and why.
    pub created_by: String,
    /// When, Unix milliseconds.
    pub created_ms: i64,
    /// Who revoked it, and why. It opens nothing since.
    pub revoked_by: Option<String>,
    /// When, Unix milliseconds.
    pub revoked_ms: Option<i64>,
}
