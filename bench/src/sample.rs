//! What callers did within a time: how many calls came to their end, and how long each took.
//!
//! Owns the callers, as threads that wait for each call, and the rounds in which a floor and what is held against it take turns,
//! so that whatever else the machine does meets both. A call that fails ends the measurement.

use anyhow::Context as _;
use hdrhistogram::Histogram;
use std::sync::Barrier;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

/// Times are kept to this many digits.
const DIGITS: u8 = 3;

/// Longer calls are taken to be as long as this, in nanoseconds: ten minutes.
const LONGEST_NANOS: u64 = 600_000_000_000;

/// What was done within a time.
#[derive(Debug)]
pub(crate) struct Sample {
    done: u64,
    took: Duration,
    nanos: Histogram<u64>,
}

/// The samples of one subject, a round each.
#[derive(Debug)]
pub(crate) struct Series(Vec<Sample>);

/// A median with the smallest and the largest of its values.
#[derive(Clone, Copy, Debug, serde::Serialize)]
pub(crate) struct Spread {
    /// The value in the middle.
    pub(crate) median: f64,
    /// The smallest.
    pub(crate) low: f64,
    /// The largest.
    pub(crate) high: f64,
}

impl Spread {
    /// The spread of some values; zeros where there are none.
    pub(crate) fn of(values: impl IntoIterator<Item = f64>) -> Self {
        let mut values: Vec<f64> = values.into_iter().collect();
        values.sort_by(f64::total_cmp);
        let at = |place: usize| values.get(place).copied().unwrap_or_default();
        Self { median: at(values.len() / 2), low: at(0), high: at(values.len().saturating_sub(1)) }
    }
}

impl Sample {
    /// Calls a second.
    fn rate(&self) -> f64 {
        number(self.done) / self.took.as_secs_f64().max(f64::MIN_POSITIVE)
    }

    /// Calls that came to their end.
    pub(crate) const fn done(&self) -> u64 {
        self.done
    }

    /// A sample of calls whose times were taken one by one.
    pub(crate) fn of(times: &[Duration]) -> anyhow::Result<Self> {
        let mut nanos = histogram()?;
        for time in times {
            nanos.saturating_record(nanos_of(*time));
        }
        Ok(Self { done: times.len() as u64, took: times.iter().sum(), nanos })
    }

    /// A sample of so many calls whose times nobody took.
    pub(crate) fn counted(done: u64, took: Duration) -> anyhow::Result<Self> {
        Ok(Self { done, took, nanos: histogram()? })
    }
}

impl Series {
    /// Calls a second, round by round.
    pub(crate) fn rate(&self) -> Spread {
        Spread::of(self.0.iter().map(Sample::rate))
    }

    /// How many times as fast as another series, compared round by round.
    pub(crate) fn over(&self, floor: &Self) -> Spread {
        Spread::of(self.0.iter().zip(&floor.0).map(|(own, floor)| own.rate() / floor.rate()))
    }

    /// The time that this part of all calls did not exceed, in microseconds: the median of the rounds.
    pub(crate) fn micros_at(&self, part: f64) -> f64 {
        let at = |sample: &Sample| number(sample.nanos.value_at_quantile(part)) / 1_000.0;
        Spread::of(self.0.iter().map(at)).median
    }
}

/// One who takes part in the rounds.
pub(crate) type Subject<'a> = Box<dyn FnMut() -> anyhow::Result<Sample> + 'a>;

/// Let the subjects take turns, so many rounds. Every other round goes backwards, so that none is always the one after another.
pub(crate) fn in_turns(rounds: usize, subjects: &mut [Subject<'_>]) -> anyhow::Result<Vec<Series>> {
    let mut series: Vec<Series> = subjects.iter().map(|_| Series(Vec::new())).collect();
    for round in 0..rounds {
        let mut pairs: Vec<_> = subjects.iter_mut().zip(&mut series).collect();
        if round % 2 == 1 {
            pairs.reverse();
        }
        for (subject, series) in pairs {
            series.0.push(subject()?);
        }
    }
    Ok(series)
}

/// Let so many callers, each in a thread of its own, call again and again for this long. `caller` makes one.
pub(crate) fn drive<C>(
    callers: usize,
    length: Duration,
    caller: impl Fn(usize) -> anyhow::Result<C> + Sync,
) -> anyhow::Result<Sample>
where
    C: FnMut() -> anyhow::Result<()>,
{
    let (together, over) = (Barrier::new(callers + 1), AtomicBool::new(false));
    let each = |number: usize| -> anyhow::Result<Histogram<u64>> {
        let made = caller(number);
        together.wait();
        let (mut call, mut nanos) = (made?, histogram()?);
        while !over.load(Ordering::Relaxed) {
            let begun = Instant::now();
            call()?;
            nanos.saturating_record(nanos_of(begun.elapsed()));
        }
        Ok(nanos)
    };
    let mut sum = histogram()?;
    let took = thread::scope(|scope| -> anyhow::Result<Duration> {
        let each = &each;
        let threads: Vec<_> = (0..callers).map(|number| scope.spawn(move || each(number))).collect();
        together.wait();
        let begun = Instant::now();
        wait(length);
        over.store(true, Ordering::Relaxed);
        for thread in threads {
            let nanos = thread.join().map_err(|_| anyhow::anyhow!("a caller has panicked"))??;
            sum.add(nanos).context("adding up what callers measured")?;
        }
        Ok(begun.elapsed())
    })?;
    Ok(Sample { done: sum.len(), took, nanos: sum })
}

/// Let time pass.
pub(crate) fn wait(length: Duration) {
    let begun = Instant::now();
    while let Some(left) = length.checked_sub(begun.elapsed()) {
        // A thread that ends wakes whoever has begun it.
        thread::park_timeout(left);
    }
}

fn histogram() -> anyhow::Result<Histogram<u64>> {
    Histogram::new_with_bounds(1, LONGEST_NANOS, DIGITS).context("making a histogram")
}

fn nanos_of(time: Duration) -> u64 {
    u64::try_from(time.as_nanos()).unwrap_or(u64::MAX)
}

/// A count as a figure.
#[expect(clippy::cast_precision_loss, reason = "counts and nanoseconds, far below 2^52")]
pub(crate) const fn number(count: u64) -> f64 {
    count as f64
}

#[cfg(test)]
mod tests {
    use super::{Sample, Spread, Subject, drive, in_turns};
    use std::time::Duration;

    #[test]
    fn a_ratio_is_taken_round_by_round() {
        let sample = |done: u64| Sample::counted(done, Duration::from_secs(1));
        let (mut floors, mut owns) = ([100, 200, 400].into_iter(), [50, 50, 400].into_iter());
        let mut subjects: [Subject<'_>; 2] =
            [Box::new(|| sample(floors.next().unwrap())), Box::new(|| sample(owns.next().unwrap()))];
        let series = in_turns(3, &mut subjects).unwrap();
        let ratio = series[1].over(&series[0]);
        assert_eq!((ratio.low, ratio.median, ratio.high), (0.25, 0.5, 1.0));
        assert_eq!(Spread::of([]).median, 0.0);
    }

    #[test]
    fn every_call_of_every_caller_is_counted_and_a_failing_one_ends_it() {
        let sample = drive(3, Duration::from_millis(5), |_| Ok(|| Ok(()))).unwrap();
        assert!(sample.done >= 3 && sample.rate() > 0.0, "{sample:?}");
        let failed = drive(2, Duration::from_millis(5), |_| Ok(|| anyhow::bail!("no")));
        assert_eq!(failed.unwrap_err().to_string(), "no");
    }
}
