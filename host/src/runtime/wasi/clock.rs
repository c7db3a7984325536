//! `wall-clock` and `monotonic-clock`: the time of the event, which goes on by the step's own sleeps alone.

use crate::runtime::wasi::bindings::wasi::clocks::{monotonic_clock, wall_clock};
use crate::runtime::wasi::poll::Pollable;
use crate::runtime::wasi::sandbox::Sandbox;
use wasmtime::component::Resource;

/// Where the monotonic clock begins, in nanoseconds. Run-time systems take 0 for a clock that is not there.
const MONOTONIC_ORIGIN_NS: u64 = 1_000_000_000;

/// What both clocks say of themselves: there is nothing between two sleeps, however short.
const RESOLUTION_NS: u32 = 1;

/// Nanoseconds in a millisecond.
const NS_A_MS: i128 = 1_000_000;

/// Nanoseconds in a second.
const NS_A_SECOND: u128 = 1_000_000_000;

/// The clock of one instance.
#[derive(Debug)]
pub(super) struct Clock {
    origin_ms: i64,
    slept_ns: u64,
}

impl Clock {
    /// A clock that begins at this Unix time.
    pub(super) const fn new(origin_ms: i64) -> Self {
        Self { origin_ms, slept_ns: 0 }
    }

    /// The instant of the monotonic clock.
    pub(super) const fn instant_ns(&self) -> u64 {
        MONOTONIC_ORIGIN_NS.saturating_add(self.slept_ns)
    }

    /// Go on to an instant. One that has passed changes nothing.
    pub(super) const fn sleep_until(&mut self, instant_ns: u64) {
        let slept = instant_ns.saturating_sub(MONOTONIC_ORIGIN_NS);
        if slept > self.slept_ns {
            self.slept_ns = slept;
        }
    }

    /// The Unix time. WASI can't tell one before 1970.
    fn unix(&self) -> wall_clock::Datetime {
        let unix_ns = i128::from(self.origin_ms) * NS_A_MS + i128::from(self.slept_ns);
        let unix_ns = u128::try_from(unix_ns).unwrap_or(0);
        wall_clock::Datetime {
            seconds: u64::try_from(unix_ns / NS_A_SECOND).unwrap_or(u64::MAX),
            nanoseconds: u32::try_from(unix_ns % NS_A_SECOND).expect("less than a second"),
        }
    }
}

impl wall_clock::Host for Sandbox {
    fn now(&mut self) -> wasmtime::Result<wall_clock::Datetime> {
        self.calls.count()?;
        Ok(self.clock.unix())
    }

    fn resolution(&mut self) -> wasmtime::Result<wall_clock::Datetime> {
        self.calls.count()?;
        Ok(wall_clock::Datetime { seconds: 0, nanoseconds: RESOLUTION_NS })
    }
}

impl monotonic_clock::Host for Sandbox {
    fn now(&mut self) -> wasmtime::Result<u64> {
        self.calls.count()?;
        Ok(self.clock.instant_ns())
    }

    fn resolution(&mut self) -> wasmtime::Result<u64> {
        self.calls.count()?;
        Ok(u64::from(RESOLUTION_NS))
    }

    fn subscribe_instant(&mut self, when: u64) -> wasmtime::Result<Resource<Pollable>> {
        self.calls.count()?;
        Ok(self.table.push(Pollable::From(when))?)
    }

    fn subscribe_duration(&mut self, when: u64) -> wasmtime::Result<Resource<Pollable>> {
        self.calls.count()?;
        Ok(self.table.push(Pollable::From(self.clock.instant_ns().saturating_add(when)))?)
    }
}

#[cfg(test)]
mod tests {
    use super::{Clock, MONOTONIC_ORIGIN_NS};

    #[test]
    fn both_clocks_go_on_by_sleeps_alone_and_never_back() {
        let mut clock = Clock::new(1_500);
        assert_eq!(clock.instant_ns(), MONOTONIC_ORIGIN_NS);
        assert_eq!((clock.unix().seconds, clock.unix().nanoseconds), (1, 500_000_000));
        clock.sleep_until(MONOTONIC_ORIGIN_NS + 750_000_000);
        assert_eq!((clock.unix().seconds, clock.unix().nanoseconds), (2, 250_000_000));
        clock.sleep_until(MONOTONIC_ORIGIN_NS);
        assert_eq!(clock.instant_ns(), MONOTONIC_ORIGIN_NS + 750_000_000);
    }

    #[test]
    fn the_ends_of_time_are_told_as_far_as_wasi_can() {
        for (origin_ms, seconds) in [(i64::MIN, 0), (-1, 0), (0, 0), (i64::MAX, 9_223_372_036_854_775)] {
            assert_eq!(Clock::new(origin_ms).unix().seconds, seconds, "{origin_ms}");
        }
        let mut clock = Clock::new(i64::MAX);
        clock.sleep_until(u64::MAX);
        assert_eq!(clock.instant_ns(), u64::MAX);
        assert_eq!(clock.unix().seconds, 9_223_390_483_598_848);
    }
}
