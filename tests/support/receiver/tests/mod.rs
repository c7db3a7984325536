//! What the receiver promises, seen from the other end of the wire, and what those tests share.

mod faults;
mod keys;
mod life;
mod rates;
mod searches;
mod upserts;

use std::path::Path;
use std::time::Duration;

use tempfile::TempDir;

use crate::receiver::Options;
use crate::receiver::Receiver;
use crate::receiver::client;
use crate::receiver::client::Exchange;
use crate::receiver::evidence;
use crate::receiver::evidence::Counts;

const BODY: &[u8] = br#"{ "title": "Widget",  "amount": 1.0 }"#;

/// How often a condition is looked at before a test gives up, ten milliseconds apart.
const LOOKS: usize = 1_000;

fn start() -> (TempDir, Receiver) {
    start_with(Options::default())
}

fn start_with(options: Options) -> (TempDir, Receiver) {
    let dir = tempfile::tempdir().unwrap();
    let receiver = Receiver::start_with(dir.path(), options).unwrap();
    (dir, receiver)
}

fn post(receiver: &Receiver, key: &str, body: &[u8]) -> Exchange {
    client::post(receiver.address(), "/deals", Some(key), body).unwrap()
}

/// Counts, and checks what must hold at every moment.
fn counts(dir: &Path) -> Counts {
    let counts = evidence::counts(dir).unwrap();
    let verdicts = counts.created
        + counts.replaced
        + counts.replayed
        + counts.conflicts
        + counts.in_progress
        + counts.refused
        + counts.limited
        + counts.unfinished;
    assert_eq!(counts.requests, verdicts, "{counts:?}");
    assert_eq!(counts.created, counts.by_kind.values().sum::<u64>(), "{counts:?}");
    counts
}

/// Waits for what another connection brings about, which nothing here can signal.
#[allow(clippy::disallowed_methods, reason = "the file is the only witness")]
fn until(dir: &Path, holds: impl Fn(&Counts) -> bool) -> Counts {
    for _ in 0..LOOKS {
        let counts = counts(dir);
        if holds(&counts) {
            return counts;
        }
        std::thread::sleep(Duration::from_millis(10));
    }
    panic!("it never came about: {:?}", counts(dir));
}
