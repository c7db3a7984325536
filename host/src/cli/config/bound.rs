//! A number of the configuration and what it may be.
//!
//! Owns one check for all of them. Refuses a number outside its bounds and names the setting, the bounds and the remedy,
//! because a budget of zero or of centuries is found too late otherwise: when the first event is lost on it.

use crate::contract::tier::Tier;
use crate::dispatch::retry::RetryPolicy;
use crate::models::patience::Patience;
use crate::runtime::limits::Limits;
use crate::store::pace::{Breaker, Rate};
use anyhow::{Result, bail};

/// A setting, its value, and what it may be.
pub(super) struct Bound {
    pub(super) setting: &'static str,
    pub(super) value: u64,
    pub(super) least: u64,
    pub(super) most: u64,
    /// Why, or what to do.
    pub(super) remedy: &'static str,
}

/// The longest run, lease or pause that is no mistake, in milliseconds: a week.
pub(super) const TIME_MAX_MS: u64 = 7 * 24 * 60 * 60 * 1_000;

/// The memory that 32-bit components can address, in bytes.
const MEMORY_MAX_BYTES: u64 = 4 * 1024 * 1024 * 1024;

/// Less than one page of a WebAssembly memory is none, in bytes.
const MEMORY_MIN_BYTES: u64 = 64 * 1024;

/// A call's bytes are held several times over while it is made; more is a mistake of the unit, in bytes.
const CALL_MAX_BYTES: u64 = 1024 * 1024 * 1024;

/// A ledger of less than one page is none, in bytes.
const LEDGER_MIN_BYTES: u64 = 4 * 1024;

/// More instances than this reserve address space for nothing: a host has far fewer cores.
const INSTANCES_MAX: u64 = 1_000;

/// The most callers that may be allowed to wait: there are not more connections.
const QUEUE_MAX: u64 = 100_000;

/// More requests at once than this would be taken for an attack.
const CONCURRENCY_MAX: u64 = 256;

/// The longest time that a receiver keeps a key, in hours: ten years. More is a mistake of the unit.
const RETENTION_MAX_HOURS: u64 = 10 * 366 * 24;

/// The longest time that a handoff may stand in a stage without being late, in seconds: ten years. More is a mistake of the
/// unit.
const ALARM_MAX_S: u64 = 10 * 366 * 24 * 60 * 60;

/// The longest time that decisions are kept without being kept for ever, in days: a hundred years.
const DECISIONS_MAX_DAYS: u64 = 100 * 366;

/// The longest time-out of a request, in milliseconds: an hour.
const TIMEOUT_MAX_MS: u64 = 60 * 60 * 1_000;

/// The longest time that a receiver's search may lag behind its writes, in milliseconds: a day.
const SETTLING_MAX_MS: u64 = 24 * 60 * 60 * 1_000;

/// The longest time that a signed message may be under way, in seconds: a day. Somebody who has seen it could send it for as long.
const TOLERANCE_MAX_S: u64 = 24 * 60 * 60;

/// Calls of one decision: each costs money, and the run waits for all of them.
const MODEL_CALLS_MAX: u64 = 20;

/// More calls than this in a rate's time would be no limit.
const RATE_CALLS_MAX: u64 = 1_000_000;

/// The longest time that a rate speaks of, in milliseconds: a day, as the longest quotas of receivers do.
const RATE_PER_MAX_MS: u64 = 24 * 60 * 60 * 1_000;

/// The longest rest of a destination, in milliseconds: a day. More is a pause, which a person sets and lifts.
const REST_MAX_MS: u64 = 24 * 60 * 60 * 1_000;

const fn bound(setting: &'static str, value: u64, least: u64, most: u64, remedy: &'static str) -> Bound {
    Bound { setting, value, least, most, remedy }
}

/// Refuse what lies outside its bounds. `place` is the table that the settings stand in.
pub(super) fn check(place: &str, bounds: &[Bound]) -> Result<()> {
    for Bound { setting, value, least, most, remedy } in bounds {
        if value < least {
            bail!("{place}: `{setting}` is {value}, and must be at least {least}; {remedy}");
        }
        if value > most {
            bail!("{place}: `{setting}` is {value}, and must be at most {most}; {remedy}");
        }
    }
    Ok(())
}

pub(super) fn ledger(max_bytes: u64) -> Bound {
    bound(
        "max_bytes",
        max_bytes,
        LEDGER_MIN_BYTES,
        i64::MAX.unsigned_abs(),
        "in bytes; a smaller ledger refuses the first event",
    )
}

pub(super) fn instances(instances: u32) -> Bound {
    bound(
        "instances",
        instances.into(),
        1,
        INSTANCES_MAX,
        "with none no step could run, and a few a core are enough",
    )
}

pub(super) fn queue(callers: u32) -> Bound {
    bound(
        "queue",
        callers.into(),
        1,
        QUEUE_MAX,
        "callers that wait for a place, each with its event in memory; 256 is the default",
    )
}

pub(super) fn limits(limits: &Limits) -> [Bound; 5] {
    [
        bound(
            "limits.memory_bytes",
            limits.memory_bytes,
            MEMORY_MIN_BYTES,
            MEMORY_MAX_BYTES,
            "in bytes; 67108864 is the default",
        ),
        bound("limits.wall_ms", limits.wall_ms, 1, TIME_MAX_MS, "in milliseconds; 10000 is the default"),
        bound(
            "limits.host_calls",
            limits.host_calls.into(),
            1,
            u32::MAX.into(),
            "a step that may call nothing can't do anything; 10000 is the default",
        ),
        bound(
            "limits.call_bytes",
            limits.call_bytes,
            1,
            CALL_MAX_BYTES,
            "in bytes; 1048576, the size of the largest event, is the default",
        ),
        bound(
            "limits.collected_bytes",
            limits.collected_bytes,
            1,
            CALL_MAX_BYTES,
            "in bytes; a step that may collect nothing can't even say how far it has come; 16777216 is the default",
        ),
    ]
}

pub(super) fn alarm(seconds: u64) -> Bound {
    bound("seconds", seconds, 1, ALARM_MAX_S, "in seconds; for instance 3600 for an hour")
}

pub(super) fn decisions_days(days: u32) -> Bound {
    bound(
        "decisions_days",
        days.into(),
        1,
        DECISIONS_MAX_DAYS,
        "in days; leave it out to keep decisions for ever",
    )
}

/// A lease that ends before the run may would let a second run begin beside it.
pub(super) fn lease(lease_ms: u64, wall_ms: u64) -> Bound {
    bound(
        "lease_ms",
        lease_ms,
        wall_ms,
        TIME_MAX_MS,
        "a claim must outlast the run's `limits.wall_ms`; leave it out for a lease that fits",
    )
}

pub(super) fn sender_lease(lease_ms: u64, longest_ms: u64) -> Bound {
    bound(
        "lease_ms",
        lease_ms,
        longest_ms,
        TIME_MAX_MS,
        "a sender's lease must outlast its requests (`connect_timeout_ms` and `request_timeout_ms`, three times where it looks up); leave it out for a lease that fits",
    )
}

pub(super) fn retry(retry: &RetryPolicy) -> [Bound; 4] {
    [
        bound(
            "retry.attempts_max",
            retry.attempts_max.into(),
            1,
            u32::MAX.into(),
            "1 means that nothing is tried again",
        ),
        bound("retry.base_ms", retry.base_ms, 0, TIME_MAX_MS, "in milliseconds; 1000 is the default"),
        bound("retry.ceiling_ms", retry.ceiling_ms, 0, TIME_MAX_MS, "in milliseconds; 300000 is the default"),
        bound(
            "retry.age_max_ms",
            retry.age_max_ms,
            1,
            52 * TIME_MAX_MS,
            "in milliseconds; 86400000, a day, is the default, and `attempts_max = 1` means that nothing is tried again",
        ),
    ]
}

pub(super) fn patience(patience: &Patience) -> [Bound; 4] {
    let Patience { retry, timeout_ms } = patience;
    [
        bound("timeout_ms", *timeout_ms, 1, TIMEOUT_MAX_MS, "in milliseconds; 60000 is the default"),
        bound(
            "retry.attempts_max",
            retry.attempts_max.into(),
            1,
            MODEL_CALLS_MAX,
            "1 means that nothing is asked again; 3 is the default",
        ),
        bound("retry.base_ms", retry.base_ms, 0, TIMEOUT_MAX_MS, "in milliseconds; 500 is the default"),
        bound(
            "retry.ceiling_ms",
            retry.ceiling_ms,
            0,
            TIMEOUT_MAX_MS,
            "in milliseconds; 10000 is the default",
        ),
    ]
}

pub(super) fn hold_expires(hours: u64) -> Bound {
    let most = TIME_MAX_MS * 52 / 3_600_000;
    bound(
        "hold_expires_hours",
        hours,
        1,
        most,
        "a request that nobody can approve any more is renewed or rejected",
    )
}

pub(super) fn max_tokens(tokens: u32) -> Bound {
    bound("max_tokens", tokens.into(), 1, u32::MAX.into(), "an answer of no tokens is none")
}

pub(super) fn concurrency(concurrency: u32) -> Bound {
    bound("concurrency", concurrency.into(), 1, CONCURRENCY_MAX, "rows at once; 4 is the default")
}

pub(super) fn retention(tier: Tier, hours: u64) -> Bound {
    let least = u64::from(tier == Tier::Key);
    bound(
        "retention_hours",
        hours,
        least,
        RETENTION_MAX_HOURS,
        "say how long the receiver keeps a key; one that keeps none is of tier \"blind\"",
    )
}

pub(super) fn timeout(setting: &'static str, timeout_ms: u64) -> Bound {
    bound(setting, timeout_ms, 1, TIMEOUT_MAX_MS, "in milliseconds; for instance 30000")
}

pub(super) fn rate(rate: Rate) -> [Bound; 2] {
    [
        bound(
            "rate.calls",
            rate.calls.into(),
            1,
            RATE_CALLS_MAX,
            "so many calls in `rate.per_ms`; pause the destination to call it not at all",
        ),
        bound(
            "rate.per_ms",
            rate.per_ms,
            1,
            RATE_PER_MAX_MS,
            "in milliseconds; 10 calls a second are { calls = 10, per_ms = 1000 }",
        ),
    ]
}

pub(super) fn breaker(breaker: Breaker) -> [Bound; 2] {
    [
        bound(
            "breaker.base_ms",
            breaker.base_ms,
            1,
            REST_MAX_MS,
            "in milliseconds; 5000 is the default, and `failures = 0` means that it never rests",
        ),
        bound(
            "breaker.ceiling_ms",
            breaker.ceiling_ms,
            breaker.base_ms,
            REST_MAX_MS,
            "in milliseconds; the longest rest is no shorter than the first, and 300000 is the default",
        ),
    ]
}

pub(super) fn settling(settling_ms: u64) -> Bound {
    bound(
        "settling_ms",
        settling_ms,
        0,
        SETTLING_MAX_MS,
        "in milliseconds; how long a write may take until a look-up finds it",
    )
}

pub(super) fn tolerance(tolerance_s: u64) -> Bound {
    bound(
        "tolerance_s",
        tolerance_s,
        1,
        TOLERANCE_MAX_S,
        "in seconds; 300 is the default, and what the providers advise",
    )
}
