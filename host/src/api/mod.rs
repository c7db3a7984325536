//! The API: HTTP for platforms, programs and operators.
//!
//! Owns the routes ([`router`]), who may use them ([`auth`]), how bodies are read ([`body`]) and how it says yes
//! ([`verdict`]) and no ([`error`], the one file that knows status codes). A handler reads, calls dispatch or the store, and
//! answers; it keeps nothing. It refuses what it can't read before anything is stored, and answers after the commit.

pub mod action;
pub mod approvals;
pub mod auth;
pub mod body;
pub mod bulk;
pub mod context;
pub mod decision_acts;
pub mod decisions;
pub mod destinations;
pub mod erase;
pub mod error;
pub mod extract;
mod event_body;
mod events;
mod health;
pub mod listing;
pub mod markers;
mod metrics;
pub mod pauses;
pub mod primitives;
pub mod progress;
pub mod quarantine;
pub mod reprocess;
pub mod retention;
pub mod router;
pub mod row_acts;
pub mod rows;
pub mod serve;
pub mod service;
pub mod status;
mod steps;
pub mod steps_list;
pub mod tokens;
pub mod verdict;
pub mod work_acts;
pub mod work_show;
pub mod works;
