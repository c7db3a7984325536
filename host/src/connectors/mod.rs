//! The door to destinations: one delivery goes out, one [`Answer`] comes back.
//!
//! Owns what is sent ([`Envelope`], [`Delivery`]), what it can mean ([`Answer`]), and the HTTP way of sending
//! it ([`http::HttpConnector`], over the [`client`] that models use too). It never sees the store, never decides on a retry and never sends anything
//! twice: one call of [`Connector::deliver`] puts at most one request on the wire, and the caller, who knows
//! the tier, chooses what comes next.
//!
//! It refuses redirects, proxies from the environment, addresses inside the operator's network (unless
//! allowed) and credentials in an address. It does not fail: whatever goes wrong is an answer, and where
//! nobody can know whether the write happened the answer is [`Answer::Ambiguous`].
//!
//! ```text
//!  Delivery ──► http ──► address_policy ──► wire ──► classify ──► Answer
//!               (secret)                              (retry_after)
//! ```

use async_trait::async_trait;

pub mod address_policy;
pub mod answer;
pub mod classify;
pub mod client;
pub mod envelope;
pub mod http;
pub mod otlp;
pub mod look_up;
pub mod retry_after;
pub mod secret;
pub mod template;

pub use crate::connectors::answer::Answer;
pub use crate::connectors::answer::Fault;
pub use crate::connectors::answer::Receipt;
pub use crate::connectors::envelope::Delivery;
pub use crate::connectors::envelope::Envelope;
pub use crate::connectors::envelope::FailsAs;
pub use crate::connectors::envelope::Method;
pub use crate::connectors::envelope::Predicate;
pub use crate::connectors::look_up::Found;
pub use crate::connectors::look_up::LookUp;
pub use crate::connectors::look_up::Query;
pub use crate::connectors::secret::Secret;

/// A way to reach destinations.
///
/// Tests and `verify` put faulty ones in the place of [`http::HttpConnector`]; the callers can't tell them
/// apart.
#[async_trait]
pub trait Connector: Send + Sync {
    /// Sends `delivery` at most once and says what became of it.
    ///
    /// Dropping the future leaves it unknown whether the request went out; the caller must then treat the
    /// attempt as ambiguous.
    async fn deliver(&self, delivery: Delivery<'_>) -> Answer;

    /// Asks whether a write has happened. It changes nothing at the receiver, so it may be asked again.
    async fn look_up(&self, query: Query<'_>) -> Found;
}
