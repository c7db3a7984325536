//! What happened in a run, point by point.

use crate::verify::fault::{Door, Fault};
use serde::Serialize;

/// A point that was reached.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Step {
    /// Which point of the run, from 0; a schedule names it by this.
    pub number: usize,
    /// Which host, from 1.
    pub host: u32,
    /// How many hosts stand still meanwhile.
    pub depth: u32,
    /// Which door.
    pub door: Door,
    /// What was about to be done.
    pub what: String,
    /// What went wrong.
    pub fault: Option<Fault>,
}

impl Step {
    /// The faults that could happen here and would be another run.
    pub fn offers(&self) -> impl Iterator<Item = Fault> + '_ {
        let depth = self.depth;
        self.door.faults().iter().copied().filter(move |fault| depth == 0 || !fault.brings_a_rival())
    }
}
