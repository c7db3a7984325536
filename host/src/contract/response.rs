//! What a duplicate of finished work is answered.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// The third part of a contract.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Response {
    /// The first result.
    Original,
    /// That it has been done, without the result.
    Acknowledgement,
    /// An error.
    Error,
}
