//! One run's state: what it may do, what it has collected, and the counters that bound it.

use crate::contract::capability::Mode;
use crate::runtime::decide::{DecisionDesk, Origin};
use crate::runtime::job::Job;
use crate::runtime::limits::Limits;
use crate::runtime::limits::MemoryMeter;
use crate::runtime::probe::Probe;
use crate::runtime::stop::Stop;
use crate::runtime::wall::Wall;
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
    pub(super) memory: MemoryMeter,
    pub(super) collected: Collected,
    pub(super) items_held: BTreeSet<String>,
    pub(super) items_left: usize,
    pub(super) notes: Vec<String>,
    /// Slots that the guest got an answer to, and where that came from first.
    pub(super) decided: BTreeMap<String, Origin>,
    collected_bytes_left: u64,
    log_bytes_left: u64,
    log_cut: bool,
    calls_left: u32,
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
            job,
            desk,
            wall,
            memory: MemoryMeter::new(limits.memory_bytes),
            collected: Collected::default(),
            items_held: BTreeSet::new(),
            items_left: limits.items as usize,
            notes: Vec::new(),
            decided: BTreeMap::new(),
            collected_bytes_left: limits.collected_bytes,
            log_bytes_left: limits.log_bytes,
            log_cut: false,
            calls_left: limits.host_calls,
            limits,
        }
    }

    /// Count a call into the host, and tell the probe of it. Every host function begins with it.
    pub(super) async fn begin_call(&mut self, function: &'static str) -> Result<(), Stop> {
        let Some(left) = self.calls_left.checked_sub(1) else {
            return Err(Stop::HostCalls { limit: self.limits.host_calls });
        };
        self.calls_left = left;
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

    /// Keep a note within the log's limit.
    pub(super) fn note(&mut self, text: String) {
        if self.log_cut {
            return;
        }
        match self.log_bytes_left.checked_sub(text.len() as u64) {
            Some(left) => {
                self.log_bytes_left = left;
                self.notes.push(text);
            }
            None => {
                self.log_cut = true;
                self.notes
                    .push(format!("notes cut: more than {} bytes (limits.log_bytes)", self.limits.log_bytes));
            }
        }
    }

    /// A row collected earlier in this run.
    pub(super) fn collected_row(&self, id: crate::identity::key::RowId) -> Option<&NewRow> {
        self.collected.rows.iter().find(|row| row.id == id)
    }
}
