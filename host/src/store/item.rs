//! Items of a batch, as the store takes and gives them.

use crate::contract::fence::Token;
use crate::store::work::WorkRef;

/// A claim of items for a run. It ends with the run.
#[derive(Clone, Debug)]
pub struct ItemClaim {
    /// The work that claims.
    pub work: WorkRef,
    /// Its step, which is the items' scope.
    pub step: String,
    /// Proof of the work's claim.
    pub token: Token,
    /// The items.
    pub keys: Vec<String>,
}

/// The answer for one item.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ItemVerdict {
    /// The run holds it now.
    Acquired,
    /// It has been done, with this external reference.
    Done(Option<String>),
    /// Another run holds it, or an earlier entry of the same list.
    InProgress,
}

/// An item that is done, to be committed with the run's outcome.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ItemEffect {
    /// The item.
    pub key: String,
    /// The id the third party gave.
    pub external_reference: Option<String>,
}
