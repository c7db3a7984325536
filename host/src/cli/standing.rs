//! How the ledger stands, beside what a command did: idle is never "all done".

use crate::cli::config::Config;
use crate::cli::output;
use crate::store::Store;
use crate::store::outbox::{OutboxCounts, OutboxFilter, RowState};
use crate::store::work::{WorkCounts, WorkState};
use anyhow::Result;
use std::collections::BTreeMap;

/// Rows that are looked through for destinations that are gone, for each state; with more, the numbers are at least these.
const ROWS_SEEN_MAX: u32 = 1_000;

/// The outbox of a namespace.
pub(super) struct Rows {
    counts: OutboxCounts,
    /// Destinations that rows wait for and that are not configured any more, with the number of rows seen.
    unconfigured: BTreeMap<String, u64>,
}

impl Rows {
    /// Look at the outbox.
    pub(super) async fn of(store: &dyn Store, config: &Config) -> Result<Self> {
        let counts = store.outbox_counts(&config.namespace).await?;
        let mut unconfigured = BTreeMap::new();
        for state in [RowState::Pending, RowState::Sending] {
            if counts.of(state) == 0 {
                continue;
            }
            let filter = OutboxFilter {
                namespace: config.namespace.clone(),
                state: Some(state),
                work: None,
                limit: ROWS_SEEN_MAX,
            };
            for row in store.outbox_list(filter).await? {
                if !config.destinations.contains_key(&row.destination) {
                    *unconfigured.entry(row.destination).or_default() += 1;
                }
            }
        }
        Ok(Self { counts, unconfigured })
    }

    /// How many rows are in each state, for programs.
    pub(super) const fn by_state(&self) -> &BTreeMap<RowState, u64> {
        &self.counts.by_state
    }

    /// Rows without a configured destination, for programs.
    pub(super) const fn unconfigured(&self) -> &BTreeMap<String, u64> {
        &self.unconfigured
    }

    /// Whether every row is sent.
    pub(super) fn is_done(&self) -> bool {
        RowState::ALL.into_iter().all(|state| state.is_settled() || self.counts.of(state) == 0)
    }

    /// For people, with what to do next.
    pub(super) fn print(&self) -> Result<()> {
        let of = |state| self.counts.of(state);
        print_counts("outbox", RowState::ALL.map(|state| (state.word(), of(state))))?;
        if of(RowState::Pending) > 0 {
            output::line("  send what is due with `onceward deliver`")?;
        }
        if of(RowState::Held) > 0 {
            output::line("  look at what waits for an approval with `onceward outbox list --state held`")?;
        }
        if of(RowState::Blocked) + of(RowState::InDoubt) > 0 {
            output::line(
                "  look at what needs a person with `onceward outbox list --state blocked` (or in-doubt)",
            )?;
        }
        for (name, rows) in &self.unconfigured {
            output::line(format!(
                "  {rows} wait for the destination {name:?}, which is not configured; add [destination.{name}] again to send them"
            ))?;
        }
        Ok(())
    }
}

/// Whether nothing is left to run, and nothing waits for a person.
pub(super) fn works_are_done(works: &WorkCounts) -> bool {
    [WorkState::Waiting, WorkState::Running, WorkState::Review, WorkState::InDoubt, WorkState::Dead]
        .into_iter()
        .all(|state| works.of(state) == 0)
}

/// Works by state, with what to do next.
pub(super) fn print_works(what: &str, works: &WorkCounts) -> Result<()> {
    print_counts(what, WorkState::ALL.map(|state| (state.word(), works.of(state))))?;
    if works.of(WorkState::Waiting) + works.of(WorkState::Running) > 0 {
        output::line(
            "  go on with `onceward resume`, or `onceward resume --wait SECONDS` for later attempts",
        )?;
    }
    for state in [WorkState::Review, WorkState::InDoubt, WorkState::Dead] {
        if works.of(state) > 0 {
            output::line(format!(
                "  look at what needs a person with `onceward work list --state {}`",
                state.word()
            ))?;
        }
    }
    if works.of(WorkState::Review) > 0 {
        output::line("  look at decisions that wait for approval with `onceward decision list --waiting`")?;
    }
    Ok(())
}

/// Kept events that wait for a person, where there are any.
pub(super) fn print_quarantine(waiting: u64) -> Result<()> {
    if waiting == 0 {
        return Ok(());
    }
    output::line(format!("quarantine: {waiting} waiting"))?;
    output::line("  look at what needs a person with `onceward quarantine list`")
}

fn print_counts<const N: usize>(what: &str, counts: [(&str, u64); N]) -> Result<()> {
    let list: Vec<String> =
        counts.iter().filter(|(_, n)| *n > 0).map(|(state, n)| format!("{n} {state}")).collect();
    if list.is_empty() {
        return Ok(());
    }
    output::line(format!("{what}: {}", list.join(", ")))
}
