//! Approvals: what a person says about a held row, and what became of it.
//!
//! A row's payload never changes, and each revision is a row of its own with an id of its own. So whoever approves an id
//! approves exactly the payload that stands behind it, and an id that was edited meanwhile is refused with its successor.

use crate::contract::sameness::SameText;
use crate::identity::key::RowId;
use crate::store::hash_text;
use crate::store::outbox::RowState;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// What became of an approval.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(tag = "outcome", content = "detail", rename_all = "kebab-case")]
pub enum Approved {
    /// The row may go out.
    Applied,
    /// Somebody approved it before. Approving twice is one approval.
    Already {
        /// Who.
        by: String,
        /// When, Unix milliseconds.
        at_ms: i64,
    },
    /// The payload is another one than the person saw.
    OtherPayload {
        /// The hash of the payload that stands.
        #[serde(with = "hash_text")]
        #[schema(value_type = String, pattern = "^[0-9a-f]{64}$")]
        payload_hash: [u8; 32],
    },
    /// It was edited; the successor waits for an approval of its own.
    Superseded {
        /// The live revision.
        by: RowId,
    },
    /// The time in which it could be approved is over.
    Expired {
        /// Since when, Unix milliseconds.
        at_ms: i64,
    },
    /// It does not wait for an approval.
    Refused(RowState),
    /// There is no row of this id.
    Unknown,
}

/// Another payload for a held row.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Edit {
    /// The JSON text that will be sent, to the byte.
    pub payload: String,
    /// The hash of the canonical payload.
    pub payload_hash: [u8; 32],
    /// What it is compared by with others that say the same to the same recipient.
    pub same: Option<SameText>,
}

/// What became of an edit.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(tag = "outcome", content = "detail", rename_all = "kebab-case")]
pub enum Edited {
    /// The held row is superseded by this one, which is itself unapproved.
    Applied {
        /// The new revision's id.
        row: RowId,
        /// Its number.
        revision: u32,
        /// Where it stands: held, or suppressed where another row says the same.
        state: RowState,
    },
    /// The payload is the same. Nothing changed.
    Unchanged,
    /// It was edited before; edit the successor.
    Superseded {
        /// The live revision.
        by: RowId,
    },
    /// The time in which it could be approved is over, and an edit does not begin another one.
    Expired {
        /// Since when, Unix milliseconds.
        at_ms: i64,
    },
    /// It does not wait for an approval.
    Refused(RowState),
    /// There is no row of this id.
    Unknown,
}
