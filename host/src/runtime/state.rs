//! One run's state: what it may do, what it has collected, and the counters that bound it.

use crate::contract::capability::Mode;
use crate::runtime::decide::{DecisionDesk, Origin};
use crate::runtime::job::Job;
use crate::runtime::limits::Limits;
use crate::runtime::probe::Probe;
use crate::runtime::stop::Stop;
use crate::runtime::wall::Wall;
use crate::runtime::wasi::sandbox::Sandbox;
use crate::store::outbox::NewRow;
use crate::store::work::Collected;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// The state behind an instance.
pub(super) struct RunState {
    pub(super) job: Arc<Job>,
    pub(super) desk: Arc<DecisionDesk>,
    pub(super) limits: Arc<Limits>,
    pub(super) wall: Arc<Wall>,
    pub(super) sandbox: Sandbox,
    pub(super) collected: Collected,
    pub(super) items_held: BTreeSet<String>,
    pub(super) items_left: usize,
    /// Slots that the guest got an answer to, and where that came from first.
    pub(super) decided: BTreeMap<String, Origin>,
    /// Whether the guest has asked for a decision: one that came too late for it may be recorded all the same.
    pub(super) has_asked: bool,
    collected_bytes_left: u64,
    probe: Option<Arc<dyn Probe>>,
}

impl RunState {
    pub(super) fn new(
        job: Arc<Job>,
        desk: Arc<DecisionDesk>,
        limits: Arc<Limits>,
        wall: Arc<Wall>,
        probe: Option<Arc<dyn Probe>>,
    ) -> Self {
        Self {
            probe,
            sandbox: Sandbox::of(&job.work, &limits),
            job,
            desk,
            wall,
            collected: Collected::default(),
            items_held: BTreeSet::new(),
            items_left: limits.items as usize,
            decided: BTreeMap::new(),
            has_asked: false,
            collected_bytes_left: limits.collected_bytes,
            limits,
        }
    }

    /// Count a call into the host, and tell the probe of it. Every primitive begins with it. WASI's functions are only counted:
    /// they touch nothing that a crash could leave half done.
    pub(super) async fn begin_call(&mut self, function: &'static str) -> Result<(), Stop> {
        self.sandbox.calls.count()?;
        if let Some(probe) = &self.probe {
            probe.host_call(function).await;
        }
        Ok(())
    }

    /// Why a step that only reads does not get this, where it does not.
    pub(super) fn refuse_read_only(&self, what: &str) -> Result<(), String> {
        match self.job.mode {
            Mode::Recorded => Ok(()),
            Mode::ReadOnly => Err(format!(
                "{what}: the step is read-only by its contract, so that nothing of its runs is kept; leave `read_only` out of the contract of a step that acts"
            )),
        }
    }

    /// Count bytes that are kept until the run's outcome commits, or say which limit they break.
    pub(super) fn collect(&mut self, bytes: usize) -> Result<(), String> {
        match self.collected_bytes_left.checked_sub(bytes as u64) {
            Some(left) => {
                self.collected_bytes_left = left;
                Ok(())
            }
            None => Err(format!(
                "{} bytes collected a run (limits.collected_bytes); return continue(cursor) after a chunk",
                self.limits.collected_bytes
            )),
        }
    }

    /// A row collected earlier in this run.
    pub(super) fn collected_row(&self, id: crate::identity::key::RowId) -> Option<&NewRow> {
        self.collected.rows.iter().find(|row| row.id == id)
    }
}
