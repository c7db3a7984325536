//! How the host dies: while it starts, at any moment of its life, and at each named point.
//!
//! Owns the turn of the kinds and their counts. A point that is not met within a limit ends in a SIGKILL at that moment, and
//! is counted as what it is. It fails where a process can't be started or killed.

use crate::service::Service;
use crate::sim_clock::SimClock;
use crate::torture::senders::Address;
use crate::torture::stage::Stage;
use crate::workspace::killed;
use anyhow::{Context as _, bail};
use onceward::clock::Clock as _;
use onceward::crash_point::{CrashPoint, VARIABLE};
use std::collections::BTreeMap;
use std::process::Stdio;
use std::time::{Duration, Instant};

/// The longest life of a host that is killed at any moment, in milliseconds. It works from its first millisecond on, on what
/// the one before left.
const LIFE_MAX_MS: u64 = 1_200;

/// How long a host may take to meet its point.
const MEET_LIMIT: Duration = Duration::from_secs(15);

/// How long apart it is looked at whether it has.
const LOOK: Duration = Duration::from_millis(5);

/// What is counted for a point that was not met.
const UNMET: &str = "point not met";

/// How a host is to die.
#[derive(Clone, Copy, Debug)]
enum Kind {
    Starting,
    AnyMoment,
    At(CrashPoint),
}

/// A cycle has every point once, and as many kills at other moments.
const CYCLE: usize = 2 * CrashPoint::ALL.len();

impl Kind {
    /// The kinds take turns: a point, any moment, the next point, a start.
    fn of(turn: usize) -> Self {
        let turn = turn % CYCLE;
        match turn % 4 {
            0 | 2 => Self::At(CrashPoint::ALL[turn / 2]),
            1 => Self::AnyMoment,
            _ => Self::Starting,
        }
    }

    const fn name(self) -> &'static str {
        match self {
            Self::Starting => "while it starts",
            Self::AnyMoment => "at any moment",
            Self::At(point) => point.name(),
        }
    }
}

/// Kills hosts, one after another.
pub(super) struct Killer {
    chance: SimClock,
    turn: usize,
    /// How long the last host took until it listened.
    start: Duration,
    counts: BTreeMap<String, usize>,
}

impl Killer {
    pub(super) fn new(chance: SimClock) -> Self {
        Self { chance, turn: 0, start: Duration::ZERO, counts: BTreeMap::new() }
    }

    /// How many hosts have been killed.
    pub(super) fn kills(&self) -> usize {
        self.turn
    }

    /// How often every kind had its turns.
    pub(super) fn cycles(&self) -> usize {
        self.turn / CYCLE
    }

    /// How many died in each way.
    pub(super) fn into_counts(self) -> BTreeMap<String, usize> {
        self.counts
    }

    /// Start a host, tell the senders where it is, and kill it in the way whose turn it is.
    pub(super) fn kill_next(&mut self, stage: &Stage, address: &Address) -> anyhow::Result<()> {
        let kind = Kind::of(self.turn);
        let died = match kind {
            Kind::Starting => self.while_it_starts(stage)?,
            Kind::AnyMoment => self.at_any_moment(stage, address)?,
            Kind::At(point) => at(point, stage, address)?,
        };
        *self.counts.entry(died.to_owned()).or_default() += 1;
        self.turn += 1;
        Ok(())
    }

    fn while_it_starts(&self, stage: &Stage) -> anyhow::Result<&'static str> {
        let mut command = stage.command()?;
        command.args(["serve", "--listen", "127.0.0.1:0"]).stdout(Stdio::null());
        let mut child = command.spawn().context("starting a host")?;
        let start_us = u64::try_from(self.start.as_micros()).unwrap_or(u64::MAX);
        std::thread::park_timeout(Duration::from_micros(self.chance.random_up_to(start_us)));
        child.kill().context("killing a host that starts")?;
        let status = child.wait().context("waiting for a killed host")?;
        if !killed(status) {
            bail!("a host ended by itself while it started, with {status}");
        }
        Ok(Kind::Starting.name())
    }

    fn at_any_moment(&mut self, stage: &Stage, address: &Address) -> anyhow::Result<&'static str> {
        let begun = Instant::now();
        let mut host = Service::spawn(stage.command()?);
        self.start = begun.elapsed();
        address.set(Some(host.address()));
        std::thread::park_timeout(Duration::from_millis(self.chance.random_up_to(LIFE_MAX_MS)));
        let ended = host.ended();
        address.set(None);
        host.kill();
        match ended {
            None => Ok(Kind::AnyMoment.name()),
            Some(status) => bail!("a host ended by itself, with {status}"),
        }
    }
}

/// Let a host die at a point.
fn at(point: CrashPoint, stage: &Stage, address: &Address) -> anyhow::Result<&'static str> {
    let mut command = stage.command()?;
    command.env(VARIABLE, point.name());
    let mut host = Service::spawn(command);
    address.set(Some(host.address()));
    let until = Instant::now() + MEET_LIMIT;
    let ended = loop {
        match host.ended() {
            None if Instant::now() < until => std::thread::park_timeout(LOOK),
            ended => break ended,
        }
    };
    address.set(None);
    match ended {
        Some(status) if killed(status) => Ok(Kind::At(point).name()),
        Some(status) => bail!("a host that was to die at {} ended with {status}", point.name()),
        None => {
            host.kill();
            Ok(UNMET)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{CYCLE, Kind};
    use onceward::crash_point::CrashPoint;

    #[test]
    fn a_cycle_meets_every_point_and_both_other_kinds() {
        let kinds: Vec<&str> = (0..CYCLE).map(|turn| Kind::of(turn).name()).collect();
        for point in CrashPoint::ALL {
            assert_eq!(kinds.iter().filter(|kind| **kind == point.name()).count(), 1, "{point:?}");
        }
        for other in [Kind::Starting, Kind::AnyMoment] {
            assert_eq!(kinds.iter().filter(|kind| **kind == other.name()).count(), CYCLE / 4, "{other:?}");
        }
    }
}
