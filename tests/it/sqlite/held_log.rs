//! A reader that does not end: the write-ahead log can't be moved into the ledger, and grows with each write.

use crate::conformance::harness::{TERMS, arrival, at, held};
use crate::sqlite::backend::SqliteBackend;
use onceward::store::claim::Arrival;
use onceward::store::error::StoreError;
use onceward::store::ledger_size::{LedgerSize, WAL_ALARM_BYTES};
use onceward::store::work::Holder;
use onceward::store::{Inspect, Ledger};

/// The ledger's limit, which its file never comes near: one cursor is written again and again.
const MAX_BYTES: u64 = 8 << 20;

/// The log's limit, which is not below this.
const LOG_LIMIT_BYTES: u64 = 64 << 20;

const CURSOR_BYTES: usize = 1 << 20;

/// What writing one adds to the log at most: it is written twice, and what it takes the place of is overwritten.
const SAVE_MAX_BYTES: u64 = 4 << 20;

/// More cursors than the log may hold.
const SAVES_MAX: usize = 200;

#[tokio::test]
async fn a_reader_that_does_not_end_is_told_of_and_writes_are_refused_in_time_and_go_on_when_it_has_gone() {
    let backend = SqliteBackend::default();
    let store = backend.store(Some(MAX_BYTES));
    let caller = Arrival { holder: Holder::Caller, ..arrival("a") };
    let work = held(store.work_claim(caller, TERMS).await.expect("the store works"));
    // Pages that stay as they are would not be written again.
    let cursor = |n: usize| format!("\"{n:03}{}\"", ["x", "y"][n % 2].repeat(CURSOR_BYTES));
    let save = async |n: usize| store.cursor_save(at(&work.work), work.token, cursor(n)).await;
    let size = async || -> LedgerSize { store.ledger_size().await.expect("the store works") };
    for n in 0..40 {
        assert!(save(n).await.expect("the store works"));
    }
    assert_eq!(size().await.wal_held_bytes(), None, "without a reader the log stays small");

    let reader = backend.direct();
    reader.execute_batch("BEGIN; SELECT count(*) FROM work;").expect("it reads");
    let (mut last, mut refused) = (0, None);
    for n in 0..SAVES_MAX {
        let before = size().await;
        match save(n).await {
            Ok(saved) => {
                assert!(saved);
                last = n;
            }
            Err(error) => {
                assert!(before.wal_held_bytes().is_some_and(|bytes| bytes > WAL_ALARM_BYTES), "{before:?}");
                refused = Some(error);
                break;
            }
        }
    }
    let refused = refused.expect("the log has a limit");
    assert!(matches!(refused, StoreError::Full { .. }) && refused.is_transient(), "{refused:?}");
    assert!(refused.to_string().contains("a reader holds the write-ahead log"), "{refused}");
    let log_bytes = size().await.wal_bytes;
    let past = log_bytes.saturating_sub(LOG_LIMIT_BYTES);
    assert!((1..SAVE_MAX_BYTES).contains(&past), "one write past the limit, and no more: {log_bytes}");
    let kept = store.work_show(at(&work.work)).await.expect("reading goes on").expect("it is there");
    assert!(kept.cursor == Some(cursor(last)), "what was acknowledged is not what is kept");

    reader.execute_batch("COMMIT").expect("it ends");
    for n in 0..2 {
        assert!(save(n).await.expect("nothing holds the log any more"));
    }
    assert_eq!(size().await.wal_held_bytes(), None, "the space was not given back");
}
