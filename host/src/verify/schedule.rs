//! Which faults happen at which points of a run, counted from 0. It reads and writes as text, so that a failing run can be
//! run again: `3:dies-after 9:overtaken`.

use crate::verify::fault::{Fault, UnknownFault};
use std::collections::BTreeMap;
use std::fmt;
use std::str::FromStr;

/// The faults of one run, by the number of the point. Every run with the same schedule is the same run.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Schedule(BTreeMap<usize, Fault>);

impl Schedule {
    /// A run in which nothing goes wrong.
    #[must_use]
    pub fn clean() -> Self {
        Self::default()
    }

    /// The same, and this goes wrong as well.
    #[must_use]
    pub fn and(&self, point: usize, fault: Fault) -> Self {
        let mut faults = self.0.clone();
        faults.insert(point, fault);
        Self(faults)
    }

    /// The same without what goes wrong at a point.
    #[must_use]
    pub fn without(&self, point: usize) -> Self {
        let mut faults = self.0.clone();
        faults.remove(&point);
        Self(faults)
    }

    /// What goes wrong at a point.
    #[must_use]
    pub fn at(&self, point: usize) -> Option<Fault> {
        self.0.get(&point).copied()
    }

    /// Points and faults, in order.
    pub fn faults(&self) -> impl Iterator<Item = (usize, Fault)> {
        self.0.iter().map(|(point, fault)| (*point, *fault))
    }

    /// How many faults.
    #[must_use]
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether nothing goes wrong.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

impl fmt::Display for Schedule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (place, (point, fault)) in self.0.iter().enumerate() {
            let gap = if place == 0 { "" } else { " " };
            write!(f, "{gap}{point}:{fault}")?;
        }
        Ok(())
    }
}

/// Why a text is no schedule.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ScheduleError {
    /// A part has not the form of one.
    #[error("reading a schedule: {0:?} is no `point:fault`; write it as `3:dies-after 9:overtaken`")]
    Form(String),
    /// A part names no fault.
    #[error(transparent)]
    Fault(#[from] UnknownFault),
}

impl FromStr for Schedule {
    type Err = ScheduleError;

    /// ```
    /// use onceward::verify::schedule::Schedule;
    /// let schedule: Schedule = "9:overtaken 3:dies-after".parse()?;
    /// assert_eq!(schedule.to_string(), "3:dies-after 9:overtaken");
    /// assert!("3:sleeps".parse::<Schedule>().is_err());
    /// # Ok::<(), onceward::verify::schedule::ScheduleError>(())
    /// ```
    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let mut schedule = Self::clean();
        for part in text.split_whitespace() {
            let form = || ScheduleError::Form(part.to_owned());
            let (point, fault) = part.split_once(':').ok_or_else(form)?;
            let point = point.parse().map_err(|_| form())?;
            schedule = schedule.and(point, fault.parse()?);
        }
        Ok(schedule)
    }
}
