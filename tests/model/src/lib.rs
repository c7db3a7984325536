//! The protocol of Onceward as a state machine, small enough that every interleaving of it is looked at.
//!
//! Owns the rules of claim, settle and delivery as one transition function ([`protocol::step`]), and two uses of it: a
//! checker walks through all that can happen ([`rules::Rules`] is a `stateright` model), and the evidence of a real run is replayed on it.
//! It knows nothing of the host's code: what it says, it says a second time and from the outside.

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
