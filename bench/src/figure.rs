//! Figures: what was measured, beside its floor and its aim.
//!
//! Owns how a figure is judged, and how a table of them is written, for people and for the documentation. An aim that is missed
//! is said like one that is met; it is no failure of the program.

use crate::sample::{Series, Spread};
use serde::Serialize;
use std::fmt::Write as _;

/// One measured figure.
#[derive(Debug, Serialize)]
pub(crate) struct Figure {
    /// What was measured.
    pub(crate) what: String,
    /// The figure.
    pub(crate) value: f64,
    /// In which unit.
    pub(crate) unit: &'static str,
    /// The same of what could not be faster, in the same unit.
    pub(crate) floor: Option<f64>,
    /// The figure over its floor, round by round.
    pub(crate) ratio: Option<Spread>,
    /// Half of the calls took at most this long, in microseconds.
    pub(crate) p50_us: Option<f64>,
    /// 99 of 100 calls took at most this long, in microseconds.
    pub(crate) p99_us: Option<f64>,
    /// What is aimed at, and whether it is met.
    pub(crate) aims: Vec<Aim>,
}

/// An aim with its outcome.
#[derive(Debug, Serialize)]
pub(crate) struct Aim {
    text: String,
    met: bool,
}

/// Figures that belong together.
#[derive(Debug, Serialize)]
pub(crate) struct Table {
    /// The name to ask for it by.
    pub(crate) name: &'static str,
    /// What the figures are about.
    pub(crate) title: String,
    /// The figures.
    pub(crate) figures: Vec<Figure>,
    /// What has to be known beside them.
    pub(crate) notes: Vec<String>,
}

impl Figure {
    /// A figure alone.
    pub(crate) fn new(what: impl Into<String>, value: f64, unit: &'static str) -> Self {
        let (floor, ratio, p50_us, p99_us, aims) = (None, None, None, None, Vec::new());
        Self { what: what.into(), value, unit, floor, ratio, p50_us, p99_us, aims }
    }

    /// Calls a second, with how long they took.
    pub(crate) fn rate(what: impl Into<String>, series: &Series) -> Self {
        Self::new(what, series.rate().median, "/s").times(series)
    }

    /// With how long the calls took.
    pub(crate) fn times(mut self, series: &Series) -> Self {
        self.p50_us = Some(series.micros_at(0.5)).filter(|micros| *micros > 0.0);
        self.p99_us = Some(series.micros_at(0.99)).filter(|micros| *micros > 0.0);
        self
    }

    /// Held against another series of the same rounds.
    pub(crate) fn over(mut self, series: &Series, floor: &Series) -> Self {
        self.floor = Some(floor.rate().median);
        self.ratio = Some(series.over(floor));
        self
    }

    /// Held against a value in the same unit.
    pub(crate) fn beside(mut self, floor: f64) -> Self {
        self.floor = Some(floor);
        self.ratio = Some(Spread::of([self.value / floor]));
        self
    }

    /// At least so much of the floor.
    pub(crate) fn at_least_of_floor(self, part: f64) -> Self {
        let met = self.ratio.is_some_and(|ratio| ratio.median >= part);
        self.aim(format!("ratio ≥ {part}"), met)
    }

    /// At most so many times the floor.
    pub(crate) fn at_most_of_floor(self, times: f64) -> Self {
        let met = self.ratio.is_some_and(|ratio| ratio.median <= times);
        self.aim(format!("ratio ≤ {times}"), met)
    }

    /// At least this value.
    pub(crate) fn at_least(self, value: f64) -> Self {
        let met = self.value >= value;
        self.aim(format!("≥ {}", short(value)), met)
    }

    /// At most this value.
    pub(crate) fn at_most(self, value: f64) -> Self {
        let met = self.value <= value;
        self.aim(format!("≤ {}", short(value)), met)
    }

    /// The slowest call of a hundred takes at most so many times as long as the one in the middle.
    pub(crate) fn tail_at_most(self, times: f64) -> Self {
        let met = matches!((self.p50_us, self.p99_us), (Some(p50), Some(p99)) if p99 <= times * p50);
        self.aim(format!("p99 ≤ {times} p50"), met)
    }

    fn aim(mut self, text: String, met: bool) -> Self {
        self.aims.push(Aim { text, met });
        self
    }
}

impl Table {
    /// A table without figures yet.
    pub(crate) fn new(name: &'static str, title: impl Into<String>) -> Self {
        Self { name, title: title.into(), figures: Vec::new(), notes: Vec::new() }
    }

    /// As Markdown.
    pub(crate) fn markdown(&self) -> String {
        let mut text = format!("**{}**\n\n", self.title);
        text.push_str("| what | figure | floor | ratio (low to high) | p50 | p99 | aim | |\n");
        text.push_str("|---|---:|---:|---:|---:|---:|---|---|\n");
        for figure in &self.figures {
            // Writing to a string does not fail.
            let _ = writeln!(text, "| {} |", cells(figure).join(" | "));
        }
        for note in &self.notes {
            let _ = write!(text, "\n{note}\n");
        }
        text
    }
}

fn cells(figure: &Figure) -> [String; 8] {
    let optional = |value: Option<f64>| value.map(short).unwrap_or_default();
    let time = |micros: Option<f64>| micros.map(time).unwrap_or_default();
    let ratio = figure.ratio.map(|Spread { median, low, high }| {
        if low.total_cmp(&high).is_eq() {
            format!("{median:.2}")
        } else {
            format!("{median:.2} ({low:.2} to {high:.2})")
        }
    });
    let aims: Vec<&str> = figure.aims.iter().map(|aim| aim.text.as_str()).collect();
    let outcome: Vec<&str> =
        figure.aims.iter().map(|aim| if aim.met { "met" } else { "**missed**" }).collect();
    [
        figure.what.clone(),
        format!("{} {}", short(figure.value), figure.unit),
        optional(figure.floor),
        ratio.unwrap_or_default(),
        time(figure.p50_us),
        time(figure.p99_us),
        aims.join(", "),
        outcome.join(", "),
    ]
}

/// A value with about three digits.
fn short(value: f64) -> String {
    match value.abs() {
        100.0.. => grouped(value),
        10.0..100.0 => format!("{value:.1}"),
        _ => format!("{value:.2}"),
    }
}

/// A whole number with its digits in groups.
fn grouped(value: f64) -> String {
    let digits = format!("{value:.0}");
    let mut text = String::new();
    for (at, digit) in digits.char_indices() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

fn time(micros: f64) -> String {
    if micros >= 1_000.0 {
        format!("{} ms", short(micros / 1_000.0))
    } else {
        format!("{} µs", short(micros))
    }
}

#[cfg(test)]
mod tests {
    use super::{Figure, Table};

    #[test]
    fn a_table_says_what_is_met_and_what_is_missed() {
        let mut table = Table::new("sample", "A sample");
        table.figures.push(Figure::new("fast", 12_345.6, "/s").beside(10_000.0).at_least_of_floor(0.5));
        table.figures.push(Figure::new("slow", 44.0, "µs").at_most(30.0));
        let text = table.markdown();
        assert!(text.contains("| fast | 12,346 /s | 10,000 | 1.23 |  |  | ratio ≥ 0.5 | met |"), "{text}");
        assert!(text.contains("| slow | 44.0 µs |  |  |  |  | ≤ 30.0 | **missed** |"), "{text}");
    }
}
