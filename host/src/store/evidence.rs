//! Evidence: what happened to a work, in order. It is appended to and never changed.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// One line of evidence.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Evidence {
    /// Its place in the order of all evidence.
    pub seq: i64,
    /// When, Unix milliseconds.
    pub at_ms: i64,
    /// What happened: `claimed`, `duplicate`, `decided`, `settled`, `sending`, `sent` ...
    pub kind: String,
    /// The rest, for people. It holds no payload and no secret.
    pub detail: String,
}
