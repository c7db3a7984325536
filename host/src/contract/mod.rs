//! The words of a step's promise: identity, window, response, tier and fencing token.
//!
//! Owns the contract that a step exports, its validation, and the rules that follow from it without any I/O. Refuses a
//! contract that lacks a part or contradicts itself; every refusal names the field and the remedy.

pub mod fence;
pub mod response;
pub mod sameness;
pub mod tier;
pub mod capability;
pub mod step;
pub mod window;
