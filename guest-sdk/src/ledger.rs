//! Items of a batch, each done once by whichever run gets it first.
//!
//! It owns the sugar of the host's `ledger` interface. Claims are durable at once and end with the run; effects
//! commit with the step's outcome. It fails with a [`LedgerError`], which `?` turns into the fitting [`Failure`].

use crate::bindings::onceward::step::ledger as wit;
use crate::host;
use crate::misfit::explain;
use crate::outcome::Failure;
use std::error::Error;
use std::fmt;

/// What a claim of an item says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ItemVerdict {
    /// This run holds the item now.
    Acquired,
    /// It has been done; the external reference, where one was recorded.
    Done(Option<String>),
    /// Another run holds it, or it stood earlier in the same list.
    InProgress,
}

/// Claim items by key; a verdict for each, in order. A key twice in the list is acquired once.
///
/// ```no_run
/// use onceward_guest::ledger::{self, ItemVerdict};
/// # fn run() -> Result<(), onceward_guest::Failure> {
/// let keys = ["page-1", "page-2"];
/// for (key, verdict) in keys.iter().zip(ledger::claim(keys)?) {
///     if verdict == ItemVerdict::Acquired {
///         ledger::record_effect(key, None)?;
///     }
/// }
/// # Ok(()) }
/// ```
///
/// # Errors
/// [`LedgerError::InvalidKey`] and [`LedgerError::Limit`]; nothing is claimed then.
pub fn claim<K: Into<String>>(items: impl IntoIterator<Item = K>) -> Result<Vec<ItemVerdict>, LedgerError> {
    let items: Vec<String> = items.into_iter().map(Into::into).collect();
    let verdicts = host::claim(&items).map_err(LedgerError::of)?;
    Ok(verdicts
        .into_iter()
        .map(|verdict| match verdict {
            wit::ItemVerdict::Acquired => ItemVerdict::Acquired,
            wit::ItemVerdict::Done(reference) => ItemVerdict::Done(reference),
            wit::ItemVerdict::InProgress => ItemVerdict::InProgress,
        })
        .collect())
}

/// The effect for an item has been collected, with the id the third party gave, where there is one. With the step's
/// outcome the item is done for ever.
///
/// # Errors
/// See [`LedgerError`].
pub fn record_effect(item: &str, external_reference: Option<&str>) -> Result<(), LedgerError> {
    let external_reference = external_reference.map(str::to_owned);
    host::record_effect(&wit::Effect { item: item.to_owned(), external_reference }).map_err(LedgerError::of)
}

/// Give an item back without an effect.
///
/// # Errors
/// See [`LedgerError`].
pub fn release(item: &str) -> Result<(), LedgerError> {
    host::release(item).map_err(LedgerError::of)
}

/// An item could not be claimed, recorded or released.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum LedgerError {
    /// This run does not hold the item; the host's words.
    NotClaimed(String),
    /// An empty or oversize key, or U+0000 in it or in a reference; the host's words.
    InvalidKey(String),
    /// A limit of the host, with its name and value.
    Limit(String),
}

impl LedgerError {
    fn of(error: wit::LedgerError) -> Self {
        match error {
            wit::LedgerError::NotClaimed(reason) => Self::NotClaimed(reason),
            wit::LedgerError::InvalidKey(reason) => Self::InvalidKey(reason),
            wit::LedgerError::Limit(reason) => Self::Limit(reason),
        }
    }
}

impl fmt::Display for LedgerError {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotClaimed(reason) => {
                write!(out, "using an item of a batch: this run does not hold it ({reason}); claim it first")
            }
            Self::InvalidKey(reason) => {
                write!(out, "using an item of a batch: its key is at fault ({reason}); correct the step")
            }
            Self::Limit(reason) => {
                write!(
                    out,
                    "using an item of a batch: a limit was reached ({reason}); work in smaller chunks"
                )
            }
        }
    }
}

impl Error for LedgerError {}

impl From<LedgerError> for Failure {
    fn from(error: LedgerError) -> Self {
        let reason = explain(&error);
        match error {
            // Another run may hold the item for now, and a new run claims afresh; the attempt budget bounds it.
            LedgerError::NotClaimed(_) => Self::retry(reason),
            // The step would give the same key, or the same number of them, at every attempt.
            LedgerError::InvalidKey(_) | LedgerError::Limit(_) => Self::reject(reason),
        }
    }
}
