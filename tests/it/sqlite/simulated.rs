//! Ledgers of simulated hosts: they pass to the next owner, and become again what they were.

use onceward::clock::Clock;
use onceward::clock::sim::SimClock;
use onceward::store::operate::Actor;
use onceward::store::pause::PauseScope;
use onceward::store::sqlite::{Outlives, SqliteSettings, SqliteStore, WayBack};
use onceward::store::{Inspect, Operate};
use rusqlite::Connection;
use std::path::Path;
use std::sync::Arc;

fn open(path: &Path) -> SqliteStore {
    let settings = SqliteSettings { path: path.to_owned(), max_bytes: None };
    SqliteStore::open_to(Outlives::Process, &settings, clock()).expect("a ledger")
}

fn clock() -> Arc<dyn Clock> {
    Arc::new(SimClock::default())
}

async fn pause(store: &SqliteStore, step: &str) {
    let actor = Actor { name: "Noor".to_owned(), reason: "a test".to_owned(), action: None };
    assert!(store.pause_set("n", PauseScope::Step(step.to_owned()), actor).await.expect("the ledger works"));
}

/// Everything that is in a ledger.
fn content(path: &Path) -> Vec<String> {
    let connection = Connection::open(path).expect("the ledger's file");
    let names = "SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY name";
    let mut tables = connection.prepare(names).expect("a query");
    let tables: Vec<String> =
        tables.query_map([], |row| row.get(0)).expect("rows").map(Result::unwrap).collect();
    let mut lines = Vec::new();
    for table in tables {
        let mut rows = connection.prepare(&format!("SELECT * FROM \"{table}\"")).expect("a query");
        let columns = rows.column_count();
        let text = |row: &rusqlite::Row<'_>| {
            let cells = (0..columns).map(|at| row.get::<_, rusqlite::types::Value>(at));
            Ok(format!("{table}: {:?}", cells.collect::<rusqlite::Result<Vec<_>>>()?))
        };
        lines.extend(rows.query_map([], text).expect("rows").map(Result::unwrap));
    }
    lines
}

#[tokio::test]
async fn a_simulated_ledger_becomes_again_what_it_was_and_serves_the_next_run() {
    let dir = tempfile::tempdir().unwrap();
    let (image, ledger) = (dir.path().join("image.db"), dir.path().join("ledger.db"));
    let store = open(&image);
    pause(&store, "first").await;
    drop(store);
    std::fs::copy(&image, &ledger).unwrap();
    let before = content(&ledger);
    let store = open(&ledger);
    let back = WayBack::new(&ledger, &image).unwrap();
    pause(&store, "second").await;
    assert_ne!(content(&ledger), before);

    assert!(back.go().unwrap());
    assert_eq!(content(&ledger), before);
    let store = store.inherited(clock()).unwrap().expect("a simulated ledger has a next owner");
    assert_eq!(store.pause_list("n").await.unwrap().len(), 1);
    pause(&store, "second").await;

    // A schema that other hands have changed stays changed.
    Connection::open(&ledger).unwrap().execute_batch("DROP TRIGGER pause_stands").unwrap();
    assert!(!back.go().unwrap());
}

#[tokio::test]
async fn a_ledger_that_outlives_its_process_passes_to_nobody_in_it() {
    let dir = tempfile::tempdir().unwrap();
    let settings = SqliteSettings { path: dir.path().join("onceward.db"), max_bytes: None };
    let store = SqliteStore::open(&settings, clock()).unwrap();
    assert!(store.inherited(clock()).unwrap().is_none());
}
