//! Retention as a background duty: forget what no window keeps any more, in transactions of bounded size.
//!
//! A pass may end anywhere; the next one goes on with what is left. It refuses nothing: what may not be forgotten is not
//! found.

use crate::clock::Clock;
use crate::dispatch::duty::Duty;
use crate::dispatch::duty::Pass as DutyPass;
use crate::dispatch::error::DispatchError;
use crate::store::Store;
use crate::store::error::StoreError;
use crate::store::retention::{Cursor, Kept, Pass};
use async_trait::async_trait;
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};

/// Candidates of one transaction: claims wait until it is over.
const BATCH_LIMIT: u32 = 500;

/// Forgets, for one namespace.
pub struct Retention {
    store: Arc<dyn Store>,
    namespace: String,
    decisions_max_age_ms: Option<i64>,
    limit: u64,
}

/// What one pass forgot, and what it left.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RetentionReport {
    /// Families that were forgotten, or would be.
    pub families: u64,
    /// Decisions without a work that were forgotten, or would be.
    pub decisions: u64,
    /// The families that are kept until time or a marker ends their windows.
    pub kept: Vec<Kept>,
}

impl Retention {
    /// A duty that keeps decisions which no work refers to for so long, in milliseconds; without a number for ever.
    #[must_use]
    pub fn new(store: Arc<dyn Store>, namespace: String, decisions_max_age_ms: Option<i64>) -> Self {
        Self { store, namespace, decisions_max_age_ms, limit: u64::MAX }
    }

    /// Forget at most so many families in one pass.
    #[must_use]
    pub const fn limit(mut self, families: u64) -> Self {
        self.limit = families;
        self
    }

    /// Forget what may be forgotten, until nothing is left of it.
    pub async fn run_once(&self) -> Result<RetentionReport, StoreError> {
        let (mut families, mut decisions) = (0, 0);
        let mut next = Some(Cursor::START);
        while let Some(after) = next
            && let Some(batch) = self.batch(families)
        {
            let pass = self.store.family_expire(&self.namespace, after, batch).await?;
            next = counted(pass, &mut families);
        }
        // After the families: what they referred to may go with them.
        let mut next = self.decisions_max_age_ms.map(|age_ms| (age_ms, Cursor::START));
        while let Some((age_ms, after)) = next {
            let pass = self.store.decision_expire(&self.namespace, age_ms, after, BATCH_LIMIT).await?;
            next = counted(pass, &mut decisions).map(|cursor| (age_ms, cursor));
        }
        while self.store.action_expire(&self.namespace, BATCH_LIMIT).await? >= u64::from(BATCH_LIMIT) {}
        self.report(families, decisions).await
    }

    /// What [`Self::run_once`] would forget at a moment, in Unix milliseconds. Decisions that only the forgotten families
    /// refer to are not among the decisions. Nothing is changed.
    pub async fn look(&self, at_ms: i64) -> Result<RetentionReport, StoreError> {
        let (mut families, mut decisions) = (0, 0);
        let mut next = Some(Cursor::START);
        while let Some(after) = next
            && let Some(batch) = self.batch(families)
        {
            next = counted(self.store.family_due(&self.namespace, at_ms, after, batch).await?, &mut families);
        }
        let mut next = self.decisions_max_age_ms.map(|age_ms| (at_ms.saturating_sub(age_ms), Cursor::START));
        while let Some((before_ms, after)) = next {
            let pass = self.store.decision_due(&self.namespace, before_ms, after, BATCH_LIMIT).await?;
            next = counted(pass, &mut decisions).map(|cursor| (before_ms, cursor));
        }
        self.report(families, decisions).await
    }

    /// How many families the next transaction may look at; none where the limit is reached.
    fn batch(&self, forgotten: u64) -> Option<u32> {
        let left = u32::try_from(self.limit.saturating_sub(forgotten)).unwrap_or(u32::MAX);
        (left > 0).then_some(left.min(BATCH_LIMIT))
    }

    async fn report(&self, families: u64, decisions: u64) -> Result<RetentionReport, StoreError> {
        let kept = self.store.family_kept(&self.namespace).await?;
        Ok(RetentionReport { families, decisions, kept })
    }
}

/// How often a host forgets, in milliseconds (an hour): windows are days.
const FORGET_EVERY_MS: i64 = 60 * 60 * 1_000;

/// Retention as a background duty: at the start, and every hour.
pub struct Forget {
    retention: Retention,
    clock: Arc<dyn Clock>,
    next_ms: AtomicI64,
}

impl Forget {
    /// The duty.
    #[must_use]
    pub fn new(retention: Retention, clock: Arc<dyn Clock>) -> Self {
        Self { retention, clock, next_ms: AtomicI64::new(i64::MIN) }
    }
}

#[async_trait]
impl Duty for Forget {
    fn name(&self) -> String {
        "retention".to_owned()
    }

    async fn pass(&self) -> Result<DutyPass, DispatchError> {
        let now_ms = self.clock.now_ms();
        if now_ms >= self.next_ms.load(Ordering::Relaxed) {
            let report = self.retention.run_once().await?;
            tracing::info!(families = report.families, decisions = report.decisions, "forgotten");
            self.next_ms.store(now_ms.saturating_add(FORGET_EVERY_MS), Ordering::Relaxed);
        }
        Ok(DutyPass { busy: false, next_due_ms: Some(self.next_ms.load(Ordering::Relaxed)) })
    }
}

fn counted(pass: Pass, total: &mut u64) -> Option<Cursor> {
    *total += pass.forgotten;
    pass.next
}
