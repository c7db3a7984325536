//! A disk that fails an fsync or a write: nothing is acknowledged after it, ever.
//!
//! The test runs this binary again, with a library that makes the calls of that process fail.

use crate::conformance::harness::{SPACE, STEP, TERMS, arrival, at, done, held};
use crate::disk_fails::{FLAG, FSYNC, FailingDisk, WRITE};
use crate::sqlite::batch::{claim, settle};
use onceward::store::error::StoreError;
use onceward::store::sqlite::{SqliteSettings, SqliteStore};
use onceward::store::work::{Settled, WorkRef, WorkState};
use onceward::store::{Inspect, Ledger, Queue};
use std::path::Path;
use std::process::Command;
use std::sync::Arc;
use support::sim_clock::SimClock;

/// Names the folder of the child's ledger.
const FOLDER: &str = "ONCEWARD_TEST_DISK_FOLDER";
/// Names the kind of calls that fail for the child.
const KIND: &str = "ONCEWARD_TEST_DISK_KIND";
/// The child's exit code when everything went as it must.
const REFUSED: i32 = 3;
/// Works acknowledged before the disk fails.
const ACKNOWLEDGED: usize = 5;

fn open(folder: &Path) -> SqliteStore {
    let settings = SqliteSettings { path: folder.join("onceward.db"), max_bytes: None };
    SqliteStore::open(&settings, Arc::<SimClock>::default()).expect("the ledger opens")
}

/// Let the child meet a disk whose calls of this kind fail, and see that what it was told is there.
async fn check(kind: &str) {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let Some(disk) = FailingDisk::build(folder.path()) else { return };
    let (_, module) = module_path!().split_once("::").expect("this is a module of the test binary");
    let mut child = Command::new(std::env::current_exe().expect("it runs"));
    child
        .args([&format!("{module}::child_whose_disk_fails"), "--exact", "--nocapture"])
        .env(FOLDER, folder.path())
        .env(KIND, kind);
    disk.under(&mut child);
    let child = child.output().expect("it can be run again");
    let said = String::from_utf8_lossy(&child.stdout) + String::from_utf8_lossy(&child.stderr);
    assert_eq!(child.status.code(), Some(REFUSED), "{said}");
    assert!(said.contains("the disk failed while writing the ledger, so the host stops"), "{said}");
    let store = open(folder.path());
    for n in 0..ACKNOWLEDGED {
        let id = arrival(&n.to_string()).current.work_id;
        let work =
            store.work_show(WorkRef { namespace: SPACE.to_owned(), id }).await.expect("it can be read");
        assert_eq!(work.expect("it was acknowledged").state, WorkState::Done);
    }
}

#[tokio::test]
async fn a_failed_fsync_stops_the_writer_and_nothing_is_acknowledged_after_it() {
    check(FSYNC).await;
}

#[tokio::test]
async fn a_failed_write_stops_the_writer_and_nothing_is_acknowledged_after_it() {
    check(WRITE).await;
}

/// Acknowledges some works, then its disk fails. It ends with `REFUSED` where every later call was refused.
/// Only the tests above give it a folder; run by itself it has nothing to do.
#[tokio::test]
async fn child_whose_disk_fails() {
    let (Some(folder), Ok(kind)) = (std::env::var_os(FOLDER), std::env::var(KIND)) else { return };
    let flag = std::env::var_os(FLAG).expect("it stands beside the folder");
    let store = Arc::new(open(Path::new(&folder)));
    let mut works = Vec::new();
    for n in 0..2 * ACKNOWLEDGED {
        let work = held(store.work_claim(arrival(&n.to_string()), TERMS).await.expect("the disk works"));
        work.durable.wait().await.expect("the disk works");
        works.push(work);
    }
    let (acknowledged, pending) = works.split_at(ACKNOWLEDGED);
    for work in acknowledged {
        assert_eq!(settle(&store, work, done()).await.unwrap().expect("the disk works"), Settled::Applied);
    }
    std::fs::write(&flag, kind).unwrap();
    let settles: Vec<_> = pending.iter().map(|work| settle(&store, work, done())).collect();
    let mut failed = 0;
    for settle in settles {
        match settle.await.expect("no panic").expect_err("the disk failed") {
            error @ StoreError::Disk { .. } => {
                failed += 1;
                println!("{error}");
            }
            error => assert!(matches!(error, StoreError::Stopped), "{error:?}"),
        }
    }
    assert!(failed >= 1, "nobody was told that the disk failed");
    // It has stopped for good, also when the disk seems to work again.
    std::fs::remove_file(flag).unwrap();
    for _ in 0..3 {
        let late =
            claim(&store, arrival("late")).await.expect("no panic").expect_err("the store has stopped");
        assert!(matches!(late, StoreError::Stopped), "{late:?}");
        let late = store.work_take(SPACE, STEP, TERMS).await.expect_err("the store has stopped");
        assert!(matches!(late, StoreError::Stopped), "{late:?}");
    }
    assert!(matches!(store.ledger_watch().await, Err(StoreError::Stopped)), "whoever watches is told");
    let shown = store.work_show(at(&acknowledged[0].work)).await.expect("reading goes on");
    assert!(shown.is_some());
    std::process::exit(REFUSED);
}
