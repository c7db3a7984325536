//! Load: many connections at once that send new events and repeats of them, and what they were answered.
//!
//! Owns the senders and the count. Each connection is kept open and sends one event after another; the ids overlap between
//! connections, so that repeats meet events that are being recorded at that moment. Nothing may be lost: each id is accepted
//! exactly once, every other answer is a duplicate, and in the end each id is one finished work. How long answers take is told
//! beside a floor that was measured on the same connections: a route that touches no ledger.

use crate::keep_alive::{Connection, post};
use anyhow::bail;
use serde_json::json;
use std::net::SocketAddr;
use std::sync::Barrier;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::{Duration, Instant};

/// What is sent.
#[derive(Clone, Copy, Debug)]
pub struct Load {
    /// Connections at once.
    pub connections: usize,
    /// Different events.
    pub events: usize,
    /// How often each is sent.
    pub repeats: usize,
}

/// What came of it.
#[derive(Debug)]
pub struct Outcome {
    /// Requests that were answered 202 `accepted`.
    pub accepted: usize,
    /// Requests that were answered 200 `duplicate`.
    pub duplicates: usize,
    /// From the first request to the last answer.
    pub took: Duration,
    /// How long each answer took.
    pub answers: Times,
    /// The same of a route that touches no ledger.
    pub floor: Times,
}

/// How long answers took, in order.
#[derive(Debug)]
pub struct Times(Vec<Duration>);

impl Times {
    fn new(mut times: Vec<Duration>) -> Self {
        times.sort_unstable();
        Self(times)
    }

    /// The time that this part of the answers did not exceed: 0.5 for the median.
    #[must_use]
    pub fn at(&self, part: f64) -> Duration {
        #[expect(
            clippy::cast_precision_loss,
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "a place in a list of some thousand"
        )]
        let place = ((self.0.len() as f64 * part).ceil() as usize).clamp(1, self.0.len().max(1)) - 1;
        self.0.get(place).copied().unwrap_or_default()
    }
}

impl Load {
    /// Send it to a source of the host at this address, whose events have their id at `/id`.
    ///
    /// # Errors
    /// Where a connection fails, or an answer is neither an acceptance nor a duplicate.
    pub fn send(self, address: SocketAddr, source: &str) -> anyhow::Result<Outcome> {
        let floor =
            self.on_all(address, |_| (b"GET /healthz HTTP/1.1\r\nHost: host\r\n\r\n".to_vec(), true))?;
        let begun = Instant::now();
        let sent = self.on_all(address, |number| {
            // Neighbours in time have the same id, so that repeats arrive while the first is being recorded.
            let id = format!("event-{}", number / self.repeats);
            let body =
                json!({ "id": id, "text": "What is the price of ten licences?", "total": 7 }).to_string();
            (post(&format!("/v1/sources/{source}/events"), "", &body), false)
        })?;
        Ok(Outcome {
            accepted: sent.accepted,
            duplicates: sent.duplicates,
            took: begun.elapsed(),
            answers: Times::new(sent.times),
            floor: Times::new(floor.times),
        })
    }

    fn on_all(
        self,
        address: SocketAddr,
        request: impl Fn(usize) -> (Vec<u8>, bool) + Sync,
    ) -> anyhow::Result<Sent> {
        let (next, together) = (AtomicUsize::new(0), Barrier::new(self.connections));
        let all = self.events * self.repeats;
        let each = || -> anyhow::Result<Sent> {
            let connection = Connection::open(address);
            together.wait();
            let mut connection = connection?;
            let mut sent = Sent::default();
            loop {
                let number = next.fetch_add(1, Ordering::Relaxed);
                if number >= all {
                    return Ok(sent);
                }
                let (bytes, is_floor) = request(number);
                let begun = Instant::now();
                let answer = connection.send(&bytes)?;
                sent.times.push(begun.elapsed());
                match (is_floor, answer.status) {
                    (true, 200) => {}
                    (false, 202) if answer.body.contains("\"verdict\":\"accepted\"") => sent.accepted += 1,
                    (false, 200) if answer.body.contains("\"verdict\":\"duplicate\"") => sent.duplicates += 1,
                    _ => bail!("request {number} was answered {}: {}", answer.status, answer.body),
                }
            }
        };
        let mut sum = Sent::default();
        thread::scope(|scope| -> anyhow::Result<()> {
            let senders: Vec<_> = (0..self.connections).map(|_| scope.spawn(each)).collect();
            for sender in senders {
                let sent = sender.join().map_err(|_| anyhow::anyhow!("a sender has panicked"))??;
                sum.accepted += sent.accepted;
                sum.duplicates += sent.duplicates;
                sum.times.extend(sent.times);
            }
            Ok(())
        })?;
        Ok(sum)
    }
}

/// What one connection, or all of them, have sent.
#[derive(Default)]
struct Sent {
    accepted: usize,
    duplicates: usize,
    times: Vec<Duration>,
}

#[cfg(test)]
mod tests {
    use super::Times;
    use std::time::Duration;

    #[test]
    fn a_percentile_is_a_time_that_was_measured() {
        let times = Times::new((1..=100).rev().map(Duration::from_millis).collect());
        assert_eq!(times.at(0.5), Duration::from_millis(50));
        assert_eq!(times.at(0.99), Duration::from_millis(99));
        assert_eq!(times.at(1.0), Duration::from_millis(100));
        assert_eq!(Times::new(Vec::new()).at(0.5), Duration::ZERO);
    }
}
