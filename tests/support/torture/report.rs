//! What is told of a run: counts, and what does not add up.

use crate::torture::balance::{Counts, TierCount};
use crate::torture::senders::Sent;
use serde::Serialize;
use std::collections::BTreeMap;
use std::fmt;
use std::path::PathBuf;

/// What a run came to.
#[derive(Clone, Debug, Serialize)]
pub struct Report {
    /// Where chance began.
    pub seed: u64,
    /// How long it took, in seconds.
    pub took_s: u64,
    /// Hosts that were killed, by how they died.
    pub kills: BTreeMap<String, usize>,
    /// Different events that were sent.
    pub events: usize,
    /// Those that were acknowledged, once or more often.
    pub acknowledged: usize,
    /// Answers that said `duplicate`.
    pub duplicates: u64,
    /// Requests that nobody answered.
    pub unanswered: u64,
    /// Works in the ledger.
    pub works: usize,
    /// Rows and effects by tier.
    pub tiers: BTreeMap<&'static str, TierCount>,
    /// What does not add up, each with its event.
    pub offences: Vec<String>,
    /// Where ledger, log and receiver are kept, if something does not add up.
    pub kept: Option<PathBuf>,
}

impl Report {
    pub(super) fn new(seed: u64, kills: BTreeMap<String, usize>, sent: &Sent, counts: &Counts) -> Self {
        Self {
            seed,
            took_s: 0,
            kills,
            events: sent.events.len(),
            acknowledged: sent.acknowledged(),
            duplicates: sent.events.values().map(|answers| answers.duplicate).sum(),
            unanswered: sent.events.values().map(|answers| answers.lost).sum(),
            works: counts.works,
            tiers: counts.tiers.clone(),
            offences: Vec::new(),
            kept: None,
        }
    }

    /// How many hosts were killed.
    #[must_use]
    pub fn killed(&self) -> usize {
        self.kills.values().sum()
    }
}

impl fmt::Display for Report {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(out, "{} hosts killed in {} s, seed {}", self.killed(), self.took_s, self.seed)?;
        for (kind, number) in &self.kills {
            writeln!(out, "  {number:>6}  {kind}")?;
        }
        writeln!(
            out,
            "events: {} sent, {} acknowledged, {} works",
            self.events, self.acknowledged, self.works
        )?;
        writeln!(out, "answers: {} duplicates, {} requests without one", self.duplicates, self.unanswered)?;
        writeln!(out, "{:<8}{:>10}{:>10}{:>10}", "tier", "sent", "in doubt", "effects")?;
        for (tier, TierCount { sent, in_doubt, effects }) in &self.tiers {
            writeln!(out, "{tier:<8}{sent:>10}{in_doubt:>10}{effects:>10}")?;
        }
        if self.offences.is_empty() {
            return write!(out, "nothing lost, nothing done twice, nothing left under way");
        }
        writeln!(out, "{} do not add up:", self.offences.len())?;
        for offence in &self.offences {
            writeln!(out, "  {offence}")?;
        }
        match &self.kept {
            Some(kept) => write!(out, "ledger, log and receiver are in {}", kept.display()),
            None => Ok(()),
        }
    }
}
