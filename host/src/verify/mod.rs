//! Crash-testing a step: it is run again and again with the host's own code, and at every place where something can go wrong
//! something does.
//!
//! A step acts only through the host's calls, and the host only through its four doors. So a run can be stopped everywhere,
//! and everything that a fault can change passes a [`process::Process`]: calls of the step, writes of the ledger, requests to
//! destinations and to models. The ledger is the real one; destinations and models are simulated ([`receiver`],
//! [`answers`]) and count. After each run all must have come to rest ([`run`]), and to the same as without faults ([`judge`]).
//!
//! ```text
//!  subject ──► search ──schedule──► run: world ◄── process ◄── ledger, outside (the doors) ◄── dispatch
//!                 ▲                       └──► outcome ──► judge ──► findings ──┐
//!                 └─────────────────────────────────────────────────────────────┘
//! ```
//! It refuses nothing, and never reaches a real destination or model. Where the machine does not allow a run it fails as
//! [`run::RunError`]; what is wrong with a step is a [`finding::Finding`] and no error.

pub mod fault;
pub mod schedule;
pub mod sample;
pub mod answers;
pub mod receiver;
pub mod trace;
pub mod finding;
pub mod tamper;
pub mod subject;
pub mod process;
mod ledger;
mod ledgers;
mod outside;
mod host;
mod people;
mod told;
mod world;
pub mod outcome;
pub mod reached;
pub mod run;
pub mod judge;
pub mod search;
