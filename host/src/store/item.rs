//! Items of a batch, as the store takes and gives them.

use crate::contract::fence::Token;
use crate::store::work::WorkRef;

/// A claim of items for a run, or under the claim of an outside caller. It ends with that.
#[derive(Clone, Debug)]
pub struct ItemClaim {
    /// The work that claims.
    pub work: WorkRef,
    /// The items' scope: its step, or what stands for the scope of a caller.
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

/// An outside caller's word that an item has been done.
#[derive(Clone, Debug)]
pub struct ItemRecord {
    /// The work that claimed it.
    pub work: WorkRef,
    /// The items' scope.
    pub step: String,
    /// The claim it was done under.
    pub token: Token,
    /// The item.
    pub item: ItemEffect,
}

/// What became of the word.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ItemRecorded {
    /// It is on record.
    Applied,
    /// It was on record already, and that record stands.
    Already {
        /// The reference on record.
        external_reference: Option<String>,
    },
    /// This claim does not hold the item. Where it once held the work, the word is kept as evidence.
    NotHeld,
}

/// An item that is done, to be committed with the run's outcome.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ItemEffect {
    /// The item.
    pub key: String,
    /// The id the third party gave.
    pub external_reference: Option<String>,
}
