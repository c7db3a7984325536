//! The host under torture: events keep coming, its process is killed again and again, and in the end everything must add up.
//!
//! Owns the run: a real receiver, a real `onceward serve` on a real file, senders that send some events more than once, and
//! SIGKILLs while it starts, at random moments and at each named point. Chance comes from a seed; the moments themselves
//! are real time, so a seed repeats the choices and not the very instants. It fails where a part can't be started or does not
//! answer; what does not add up is no failure of the run but what it reports.
//!
//! - `stage`: the folder, the receiver and the host's configuration.
//! - `senders`: events, their repeats, and what was acknowledged.
//! - `kills`: how the host dies.
//! - `balance`: what must hold in the end; it only counts.
//! - [`report`]: what is told.

mod balance;
mod kills;
pub mod report;
mod senders;
mod stage;

use crate::sim_clock::SimClock;
use crate::torture::kills::Killer;
use crate::torture::report::Report;
use crate::torture::senders::Senders;
use crate::torture::stage::Stage;
use anyhow::Context as _;
use std::time::{Duration, Instant};

/// After how many kills a line of progress is shown.
const PROGRESS_EVERY: usize = 20;

/// When the kills end.
#[derive(Clone, Copy, Debug)]
pub enum Until {
    /// After this time, and not before each kind of kill has happened.
    Passed(Duration),
    /// After each kind of kill has happened so often.
    Cycles(usize),
}

/// A run of the torture.
#[derive(Clone, Copy, Debug)]
pub struct Torture {
    /// When the kills end. Coming to rest takes its time afterwards.
    pub until: Until,
    /// Where chance begins.
    pub seed: u64,
}

impl Torture {
    /// Do it, and see what it comes to. `tell` hears how far it is.
    ///
    /// # Errors
    /// Where a part can't be started, or nothing can be read of it.
    ///
    /// # Panics
    /// Where the host, started again on its ledger, does not come to listen.
    pub fn run(self, mut tell: impl FnMut(&str)) -> anyhow::Result<Report> {
        let begun = Instant::now();
        let mut stage = Stage::set(self.seed)?;
        let senders = Senders::start(self.seed);
        let mut killer = Killer::new(SimClock::seeded(self.seed));
        while !self.is_over(begun.elapsed(), &killer) {
            killer.kill_next(&stage, senders.address())?;
            if killer.kills().is_multiple_of(PROGRESS_EVERY) {
                let (kills, events) = (killer.kills(), senders.acknowledged());
                tell(&format!(
                    "{} s: {kills} kills, {events} events acknowledged",
                    begun.elapsed().as_secs()
                ));
            }
        }
        let sent = senders.stop();
        tell("no more kills; the host is left to come to rest");
        let at_rest = stage.come_to_rest().context("waiting for the host to come to rest")?;
        let balance = balance::Books {
            sent: &sent,
            works: stage.works()?,
            rows: stage.rows()?,
            effects: stage.effects()?,
        };
        let mut report = Report::new(self.seed, killer.into_counts(), &sent, &balance.count());
        report.offences.extend(balance.offences());
        report.offences.extend(at_rest.err());
        report.took_s = begun.elapsed().as_secs();
        if !report.offences.is_empty() {
            report.kept = Some(stage.keep());
        }
        Ok(report)
    }

    fn is_over(&self, elapsed: Duration, killer: &Killer) -> bool {
        match self.until {
            Until::Passed(time) => elapsed >= time && killer.cycles() >= 1,
            Until::Cycles(cycles) => killer.cycles() >= cycles,
        }
    }
}
