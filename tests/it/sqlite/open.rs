//! Opening: one owner, no foreign file, no newer schema.

use crate::conformance::harness::{
    LEASE_MS, SPACE, TERMS, actor, arrival, at, done, done_with, held, rows, take,
};
use crate::sqlite::backend::SqliteBackend;
use onceward::store::error::StoreError;
use onceward::store::outbox::Take;
use onceward::store::pause::PauseScope;
use onceward::store::sqlite::{SCHEMA_VERSION, SqliteStore};
use onceward::store::work::{Settled, Settlement, WorkState};
use onceward::store::{Inspect, Ledger, Operate, Outbox};
use rusqlite::Connection;
use std::path::Path;

/// Why the file can't be opened.
fn refusal(backend: &SqliteBackend) -> StoreError {
    match SqliteStore::open(&backend.settings(None), backend.clock()) {
        Ok(_) => panic!("the file was opened"),
        Err(error) => error,
    }
}

#[tokio::test]
async fn a_second_owner_is_refused_until_the_first_has_gone() {
    let backend = SqliteBackend::default();
    let first = backend.store(None);
    assert!(matches!(refusal(&backend), StoreError::Owned { .. }));
    assert!(refusal(&backend).to_string().contains("another process owns it"));
    first.work_claim(arrival("a"), TERMS).await.expect("the refused opener disturbs nothing");
    drop(first);
    let second = backend.store(None);
    assert_eq!(
        second.work_counts(SPACE).await.expect("the store works").by_state.get(&WorkState::Running),
        Some(&1)
    );
}

#[tokio::test]
async fn a_newer_schema_is_refused() {
    let backend = SqliteBackend::default();
    drop(backend.store(None));
    let newer = SCHEMA_VERSION + 1;
    backend.direct().pragma_update(None, "user_version", newer).unwrap();
    let StoreError::NewerSchema { found, known, .. } = refusal(&backend) else { panic!("another refusal") };
    assert_eq!((found, known), (newer, SCHEMA_VERSION));
    let reading = SqliteStore::open_read_only(&backend.settings(None)).map(|_| ());
    assert!(matches!(reading, Err(StoreError::NewerSchema { .. })), "{reading:?}");
    backend.direct().pragma_update(None, "user_version", SCHEMA_VERSION).unwrap();
    drop(backend.store(None));
}

/// How another program makes its file.
type Maker<'a> = &'a dyn Fn(&Path);

/// A database that another program made.
fn database(path: &Path, script: &str) {
    let connection = Connection::open(path).expect("the file opens");
    connection.execute_batch(script).expect("the script is right");
}

#[test]
fn a_file_that_is_no_ledger_is_refused_and_left_alone() {
    let text = "name,score\nx,7\n".repeat(500);
    let files: [(&str, Maker<'_>); 5] = [
        ("another program's tables", &|path| {
            database(path, "CREATE TABLE contact (name TEXT); PRAGMA user_version = 1;")
        }),
        ("another program's mark", &|path| {
            database(path, "PRAGMA application_id = 7; CREATE TABLE work (seq INTEGER);")
        }),
        ("a version without a mark", &|path| database(path, "PRAGMA user_version = 1;")),
        ("text", &|path| std::fs::write(path, &text).unwrap()),
        ("short text", &|path| std::fs::write(path, "not a database").unwrap()),
    ];
    for (what, make) in files {
        let backend = SqliteBackend::default();
        make(&backend.path());
        let before = std::fs::read(backend.path()).unwrap();
        assert!(matches!(refusal(&backend), StoreError::Foreign { .. }), "{what}: {:?}", refusal(&backend));
        let reading = SqliteStore::open_read_only(&backend.settings(None)).map(|_| ());
        assert!(matches!(reading, Err(StoreError::Foreign { .. })), "{what}: {reading:?}");
        assert!(std::fs::read(backend.path()).unwrap() == before, "{what}: the file was changed");
    }
}

#[test]
fn a_path_that_can_not_be_opened_is_named() {
    let backend = SqliteBackend::default();
    std::fs::create_dir(backend.path()).unwrap();
    let refused = refusal(&backend);
    assert!(matches!(refused, StoreError::Open { .. }), "{refused:?}");
    assert!(refused.to_string().contains(&backend.path().display().to_string()), "{refused}");
    let missing = SqliteBackend::default();
    let reading = SqliteStore::open_read_only(&missing.settings(None)).map(|_| ());
    assert!(matches!(reading, Err(StoreError::Missing { .. })), "{reading:?}");
    assert!(!missing.path().exists(), "reading made a file");
}

#[tokio::test]
async fn a_reader_beside_the_owner_reads_and_never_writes() {
    let backend = SqliteBackend::default();
    let owner = backend.store(None);
    let held = held(owner.work_claim(arrival("a"), TERMS).await.expect("the store works"));
    held.durable.wait().await.expect("it is committed");
    let reader = SqliteStore::open_read_only(&backend.settings(None)).expect("a reader needs no ownership");
    assert!(reader.work_show(at(&held.work)).await.expect("reading works").is_some());
    let settlement = Settlement {
        work: at(&held.work),
        token: held.token,
        outcome: done_with(rows(&["r"])),
        notes: Vec::new(),
        replays: Vec::new(),
    };
    assert!(reader.work_settle(settlement.clone()).await.is_err());
    assert!(reader.work_claim(arrival("b"), TERMS).await.is_err());
    assert!(reader.outbox_take(take()).await.is_err());
    assert!(reader.pause_set(SPACE, PauseScope::Namespace, actor()).await.is_err());
    assert_eq!(owner.work_settle(settlement).await.expect("the owner goes on"), Settled::Applied);
    let seen = reader.work_show(at(&held.work)).await.expect("reading works").expect("it is there");
    assert!(seen.output.is_some(), "the reader does not see what was committed after it opened");
    drop(owner);
    assert!(reader.work_show(at(&held.work)).await.expect("reading works without an owner").is_some());
}

#[tokio::test]
async fn sends_that_the_last_owner_left_are_free_at_once_and_maybe_applied() {
    let backend = SqliteBackend::default();
    let store = backend.store(None);
    let held = held(store.work_claim(arrival("a"), TERMS).await.expect("the store works"));
    let outcome = done_with(rows(&["r"]));
    let settlement = Settlement {
        work: at(&held.work),
        token: held.token,
        outcome,
        notes: Vec::new(),
        replays: Vec::new(),
    };
    store.work_settle(settlement).await.expect("the store works");
    let long = Take { lease_ms: 1_000 * LEASE_MS, ..take() };
    assert_eq!(store.outbox_take(long.clone()).await.expect("the store works").len(), 1);
    assert!(store.outbox_take(long).await.expect("the store works").is_empty());
    drop(store);
    let store = backend.store(None);
    let again = store.outbox_take(take()).await.expect("the store works");
    assert_eq!((again.len(), again[0].attempt, again[0].maybe_applied), (1, 2, true));
}

#[tokio::test]
async fn the_file_is_strict_marked_and_in_wal_mode() {
    let backend = SqliteBackend::default();
    let store = backend.store(None);
    let held = held(store.work_claim(arrival("a"), TERMS).await.expect("the store works"));
    let settlement = Settlement {
        work: at(&held.work),
        token: held.token,
        outcome: done(),
        notes: Vec::new(),
        replays: Vec::new(),
    };
    store.work_settle(settlement).await.expect("the store works");
    let direct = backend.direct();
    let text = |sql: &str| direct.query_row(sql, [], |row| row.get::<_, String>(0)).unwrap();
    assert_eq!(text("PRAGMA journal_mode"), "wal");
    assert_eq!(text("PRAGMA integrity_check"), "ok");
    let number = |sql: &str| direct.query_row(sql, [], |row| row.get::<_, i64>(0)).unwrap();
    assert_eq!(number("PRAGMA application_id"), i64::from(u32::from_be_bytes(*b"ONCE")));
    assert_eq!(number("PRAGMA user_version"), SCHEMA_VERSION);
    let tables = number(
        "SELECT count(*) FROM pragma_table_list WHERE schema = 'main' AND type = 'table' AND name NOT LIKE 'sqlite_%'",
    );
    let strict = number("SELECT count(*) FROM pragma_table_list WHERE schema = 'main' AND strict = 1");
    assert!(tables >= 9);
    assert_eq!(tables, strict, "a table is not STRICT");
}
