//! Outside callers: programs that do their effects themselves and want to do them once.
//!
//! ```text
//!  claim(key, effect) ──► Held ──the caller acts──► record(effect) ──► settle
//!                          └── extend, decide, enqueue, advance, save a cursor, claim items: each under the claim's token
//! ```
//! Owns what a caller may say, and with which proof. A caller that goes away between claim and record leaves its work in
//! doubt: the lease ends, and nobody runs it again unasked. What it says under its claim is recorded at once, since it has
//! no run whose end could commit it. It refuses names and leases that can't work, and a token that is not the work's; works
//! of steps in this host are none of a caller's business.

pub mod claim;
mod decide;
mod enqueue;
pub mod error;
mod item;
mod progress;
pub mod settle;

use crate::clock::Clock;
use crate::contract::fence::Token;
use crate::dispatch::caller::error::CallerError;
use crate::dispatch::mirror::Mirror;
use crate::runtime::decide::DecisionDesk;
use crate::runtime::job::RowTerms;
use crate::runtime::limits::NAME_LIMIT_BYTES;
use crate::store::Store;
use crate::store::work::{WorkRecord, WorkRef};
use std::collections::BTreeMap;
use std::sync::Arc;

/// What callers may use, as the operator set it up.
#[derive(Clone)]
pub struct CallerSetup {
    /// The destinations that rows may go to, and what holds for every row to them.
    pub destinations: BTreeMap<String, RowTerms>,
    /// The steps that can go on from a receipt, and their contract versions.
    pub receipt_steps: Arc<BTreeMap<String, u32>>,
    /// The stages of a handoff, in order.
    pub stages: Arc<[String]>,
    /// Where stages are told.
    pub mirror: Option<Mirror>,
    /// Where decisions are made.
    pub desk: Arc<DecisionDesk>,
}

/// The door for outside callers.
pub struct Callers {
    store: Arc<dyn Store>,
    clock: Arc<dyn Clock>,
    namespace: String,
    setup: CallerSetup,
}

impl Callers {
    /// A door to this store, for a namespace.
    #[must_use]
    pub fn new(store: Arc<dyn Store>, clock: Arc<dyn Clock>, namespace: String, setup: CallerSetup) -> Self {
        Self { store, clock, namespace, setup }
    }

    /// The work that a caller holds under this token.
    async fn held(&self, work: &WorkRef, token: Token) -> Result<WorkRecord, CallerError> {
        self.store.work_held(work.clone(), token).await?.ok_or(CallerError::LeaseLost)
    }
}

fn usable(name: &str) -> bool {
    !name.trim().is_empty() && name.len() <= NAME_LIMIT_BYTES && !name.contains('\0')
}

fn check_name(what: &'static str, name: &str) -> Result<(), CallerError> {
    if usable(name) { Ok(()) } else { Err(CallerError::name(what, name)) }
}
