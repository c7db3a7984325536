//! How the ledger stands, beside what a command did: idle is never "all done".

use crate::api::status::Status;
use crate::cli::config::Config;
use crate::cli::output;
use crate::clock::Clock;
use crate::store::Store;
use crate::store::outbox::RowState;
use crate::store::work::WorkState;
use anyhow::Result;
use serde_json::{Value, json};
use std::collections::BTreeMap;

/// A namespace as it stands, and whether a host is at work on it.
pub(super) struct LedgerStanding {
    pub(super) status: Status,
    hosted: bool,
}

impl LedgerStanding {
    /// Look at a ledger that this process owns.
    pub(super) async fn of(store: &dyn Store, clock: &dyn Clock, config: &Config) -> Result<Self> {
        let status = Status::read(store, &config.namespace, &config.tiers(), clock.now_ms()).await?;
        Ok(Self::alone(status))
    }

    /// As a ledger stands that no host is at work on.
    pub(super) const fn alone(status: Status) -> Self {
        Self { status, hosted: false }
    }

    /// As a running host says it.
    pub(super) const fn hosted(status: Status) -> Self {
        Self { status, hosted: true }
    }

    /// Whether every row is sent.
    pub(super) fn rows_are_done(&self) -> bool {
        let open = RowState::ALL.into_iter().filter(|state| !state.is_settled());
        self.status.rows(&open.collect::<Vec<_>>()) == 0
    }

    /// Whether nothing is left to run, and nothing waits for a person.
    pub(super) fn works_are_done(&self) -> bool {
        use WorkState::{Dead, InDoubt, Review, Running, Waiting};
        self.status.works(&[Waiting, Running, Review, InDoubt, Dead]) == 0 && self.status.quarantine == 0
    }

    /// What it is for programs, with what else they are told.
    pub(super) fn json(&self, works: &BTreeMap<WorkState, u64>, more: Value) -> Value {
        let mut told = json!({
            "works": works,
            "quarantine": self.status.quarantine,
            "outbox": self.status.rows,
            "unconfigured": self.status.unconfigured,
        });
        if let (Value::Object(told), Value::Object(more)) = (&mut told, more) {
            told.extend(more);
        }
        told
    }

    /// For people: these works, and the rest, with what to do next.
    pub(super) fn print(&self, what: &str, works: &BTreeMap<WorkState, u64>) -> Result<()> {
        self.print_works(what, works)?;
        self.print_quarantine()?;
        self.print_rows()
    }

    fn print_works(&self, what: &str, works: &BTreeMap<WorkState, u64>) -> Result<()> {
        let of = |state| works.get(&state).copied().unwrap_or(0);
        print_counts(what, WorkState::ALL.map(|state| (state.word(), of(state))))?;
        if !self.hosted && of(WorkState::Waiting) + of(WorkState::Running) > 0 {
            output::line(
                "  go on with `onceward resume`, or `onceward resume --wait SECONDS` for later attempts",
            )?;
        }
        for state in [WorkState::Review, WorkState::InDoubt, WorkState::Dead] {
            if of(state) > 0 {
                output::line(format!(
                    "  look at what needs a person with `onceward work list --state {}`",
                    state.word()
                ))?;
            }
        }
        if of(WorkState::Review) > 0 {
            output::line(
                "  look at decisions that wait for approval with `onceward decision list --waiting`",
            )?;
        }
        Ok(())
    }

    fn print_quarantine(&self) -> Result<()> {
        if self.status.quarantine == 0 {
            return Ok(());
        }
        output::line(format!("quarantine: {} waiting", self.status.quarantine))?;
        output::line("  look at what needs a person with `onceward quarantine list`")
    }

    /// Rows by state, with what to do next.
    pub(super) fn print_rows(&self) -> Result<()> {
        let of = |state| self.status.rows(&[state]);
        print_counts("outbox", RowState::ALL.map(|state| (state.word(), of(state))))?;
        if !self.hosted && of(RowState::Pending) > 0 {
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
        print_unconfigured(&self.status.unconfigured)
    }
}

/// Rows that nobody sends, since their destination is gone.
pub(super) fn print_unconfigured(unconfigured: &BTreeMap<String, u64>) -> Result<()> {
    for (name, rows) in unconfigured {
        output::line(format!(
            "  {rows} wait for the destination {name:?}, which is not configured; add [destination.{name}] again to send them"
        ))?;
    }
    Ok(())
}

fn print_counts<const N: usize>(what: &str, counts: [(&str, u64); N]) -> Result<()> {
    let list: Vec<String> =
        counts.iter().filter(|(_, n)| *n > 0).map(|(state, n)| format!("{n} {state}")).collect();
    if list.is_empty() {
        return Ok(());
    }
    output::line(format!("{what}: {}", list.join(", ")))
}
