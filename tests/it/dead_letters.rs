//! Ledgers full of dead letters.

use crate::conformance::harness::{TERMS, arrival, at, held};
use onceward::clock::SystemClock;
use onceward::store::Ledger as _;
use onceward::store::claim::Arrival;
use onceward::store::sqlite::{SqliteSettings, SqliteStore};
use onceward::store::work::{Outcome, Settlement};
use std::path::Path;
use std::sync::Arc;

/// Open a ledger that no process has open.
pub(crate) fn open(path: &Path) -> Arc<SqliteStore> {
    let settings = SqliteSettings { path: path.to_owned(), max_bytes: None };
    Arc::new(SqliteStore::open(&settings, Arc::new(SystemClock)).expect("the ledger opens"))
}

/// Fill a ledger with works of a step that died of the same cause, many at a time so that they share commits.
pub(crate) async fn fill(path: &Path, step: &str, number: usize, payload: impl Fn(usize) -> String) {
    let store = open(path);
    let works: Vec<_> = (0..number)
        .map(|n| {
            let (store, step, payload) = (Arc::clone(&store), step.to_owned(), payload(n));
            tokio::spawn(async move {
                let namespace = "default".to_owned();
                let arrival = Arrival { namespace, step, payload, ..arrival(&n.to_string()) };
                let held = held(store.work_claim(arrival, TERMS).await.expect("the ledger works"));
                let outcome = Outcome::Dead { cause: "attempts used up (5): 429".to_owned() };
                let settlement = Settlement {
                    work: at(&held.work),
                    token: held.token,
                    outcome,
                    notes: Vec::new(),
                    replays: Vec::new(),
                };
                store.work_settle(settlement).await.expect("the ledger works");
            })
        })
        .collect();
    for work in works {
        work.await.expect("no panic");
    }
}
