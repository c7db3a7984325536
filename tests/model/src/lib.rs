//! The protocol of Onceward as a state machine, small enough that every interleaving of it is looked at.
//!
//! Owns the rules of claim, settle and delivery as one transition function ([`protocol::step`]), and two uses of it: a
//! checker walks through all that can happen ([`rules::Rules`] is a `stateright` model), and the evidence of a real run is
//! replayed on it ([`trace`]). It knows nothing of the host's code: what it says, it says a second time and from the
//! outside.
//!
//! ```
//! use onceward_model::trace::{TraceEvent, accept};
//!
//! let claimed = TraceEvent::new("claimed", "new, attempt 1, token 7");
//! let done = TraceEvent::new("settled", "done");
//! assert_eq!(accept(&[claimed.clone(), done.clone()]), Ok(()));
//!
//! let rejection = accept(&[claimed, done.clone(), done]).expect_err("two settles take effect");
//! assert_eq!(rejection.at, 2);
//! ```

pub mod rules;
pub mod state;
pub mod action;
pub mod refusal;
mod row;
mod host;
pub mod protocol;
pub mod properties;
mod checked;
pub mod queue;
mod words;
mod replay;
pub mod trace;
