//! Who asks for a decision: the run of a step, or an outside caller under its claim.
//!
//! They differ in what they may ask, in what is held back from them, and in what must be sure before a call is paid for.

use crate::contract::fence::Token;
use crate::runtime::decide::error::DecideError;
use crate::runtime::job::Job;
use crate::runtime::stop::Stop;
use crate::runtime::wall::Wall;
use crate::store::Store;
use crate::store::intent::{Extended, Extension};
use crate::store::work::{Holder, WorkRef};
use std::time::Duration;

/// Who asks for a decision.
pub struct Asker<'a> {
    pub(super) work: WorkRef,
    pub(super) token: Token,
    who: Who<'a>,
}

enum Who<'a> {
    Run { job: &'a Job, wall: &'a Wall },
    Caller,
}

impl<'a> Asker<'a> {
    /// The run of a step: it asks what it is granted, and waits for people where the operator wants it to.
    pub(in crate::runtime) fn run(job: &'a Job, wall: &'a Wall) -> Self {
        Self { work: job.work_ref(), token: job.token, who: Who::Run { job, wall } }
    }

    /// An outside caller, who may ask every model of the host.
    #[must_use]
    pub const fn caller(work: WorkRef, token: Token) -> Self {
        Self { work, token, who: Who::Caller }
    }

    pub(super) fn may_ask(&self, model: &str) -> bool {
        match &self.who {
            Who::Run { job, .. } => job.grants.models.contains(model),
            Who::Caller => true,
        }
    }

    /// Whether a person must approve the slot's answer before it is given away.
    pub(super) fn waits_for_approval(&self, slot: &str) -> bool {
        match &self.who {
            Who::Run { job, .. } => job.holds.slots.contains(slot),
            Who::Caller => false,
        }
    }

    /// Make sure of the claim before money is spent under it: that it outlives a crash, and a caller's also the call.
    pub(super) async fn secure(&self, store: &dyn Store, call_ms: u64) -> Result<(), DecideError> {
        match &self.who {
            Who::Run { job, .. } => Ok(job.durable.wait().await?),
            Who::Caller => {
                let lease_ms = i64::try_from(call_ms).unwrap_or(i64::MAX);
                let extension =
                    Extension { token: self.token, holder: Holder::Caller, lease_ms, intent: None };
                match store.lease_extend(self.work.clone(), extension).await? {
                    Extended::Applied { .. } => Ok(()),
                    Extended::LeaseLost => Err(Stop::LeaseLost.into()),
                }
            }
        }
    }

    /// Wait for a model. The time is not the run's, but for a part that the output tells.
    pub(super) async fn wait<T>(
        &self,
        waited_for: impl Future<Output = T>,
        own_time: impl FnOnce(&T) -> Duration,
    ) -> T {
        match &self.who {
            Who::Run { wall, .. } => wall.excuse(waited_for, own_time).await,
            Who::Caller => waited_for.await,
        }
    }
}
