//! A disk that fails an fsync: nothing is acknowledged after it, ever.
//!
//! The test runs this binary again with a preloaded library that makes fsync fail on demand (`fsync_fails.c`),
//! since what happens then must not be pretended.

use crate::conformance::harness::{SPACE, STEP, TERMS, arrival, at, done, held};
use crate::sqlite::batch::{claim, settle};
use onceward::store::error::StoreError;
use onceward::store::sqlite::{SqliteSettings, SqliteStore};
use onceward::store::work::{Settled, WorkRef, WorkState};
use onceward::store::{Inspect, Ledger, Queue};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;
use support::sim_clock::SimClock;

/// Names the folder of the child's ledger.
const FOLDER: &str = "ONCEWARD_TEST_FSYNC_FOLDER";
/// Names the file that makes fsync fail; the library reads it as well.
const FLAG: &str = "FSYNC_FAILS";
/// The child's exit code when everything went as it must.
const REFUSED: i32 = 3;
/// Works acknowledged before the disk fails.
const ACKNOWLEDGED: usize = 5;

fn open(folder: &Path) -> SqliteStore {
    let settings = SqliteSettings { path: folder.join("onceward.db"), max_bytes: None };
    SqliteStore::open(&settings, Arc::<SimClock>::default()).expect("the ledger opens")
}

/// The library, or a reason why there is none.
fn build_library(folder: &Path) -> Result<PathBuf, String> {
    let library = folder.join("fsync_fails.so");
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("it/sqlite/fsync_fails.c");
    let built = Command::new("cc").args(["-shared", "-fPIC", "-o"]).arg(&library).arg(source).output();
    match built {
        Ok(output) if output.status.success() => Ok(library),
        Ok(output) => Err(String::from_utf8_lossy(&output.stderr).into_owned()),
        Err(error) => Err(error.to_string()),
    }
}

#[tokio::test]
async fn a_failed_fsync_stops_the_writer_and_nothing_is_acknowledged_after_it() {
    let folder = tempfile::tempdir().unwrap();
    let library = match build_library(folder.path()) {
        Ok(library) => library,
        Err(reason) => {
            eprintln!("SKIPPED: there is no C compiler here, so no fsync can be made to fail: {reason}");
            return;
        }
    };
    let (_, module) = module_path!().split_once("::").expect("this is a module of the test binary");
    let child = Command::new(std::env::current_exe().unwrap())
        .args([&format!("{module}::child_whose_fsync_fails"), "--exact", "--nocapture"])
        .env("LD_PRELOAD", library)
        .env(FOLDER, folder.path())
        .env(FLAG, folder.path().join("flag"))
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&child.stdout) + String::from_utf8_lossy(&child.stderr);
    assert_eq!(child.status.code(), Some(REFUSED), "{said}");
    assert!(said.contains("the disk failed while writing the ledger, so the host stops"), "{said}");
    let store = open(folder.path());
    for n in 0..ACKNOWLEDGED {
        let id = arrival(&n.to_string()).current.work_id;
        let work = store.work_show(WorkRef { namespace: SPACE.to_owned(), id }).await.unwrap();
        assert_eq!(work.expect("it was acknowledged").state, WorkState::Done);
    }
}

/// Acknowledges some works, then its disk fails. It ends with `REFUSED` where every later call was refused.
/// Only the test above gives it a folder; run by itself it has nothing to do.
#[tokio::test]
async fn child_whose_fsync_fails() {
    let (Some(folder), Some(flag)) = (std::env::var_os(FOLDER), std::env::var_os(FLAG)) else { return };
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
    std::fs::write(flag, "").unwrap();
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
    std::fs::remove_file(std::env::var_os(FLAG).expect("it was there")).unwrap();
    for _ in 0..3 {
        let late =
            claim(&store, arrival("late")).await.expect("no panic").expect_err("the store has stopped");
        assert!(matches!(late, StoreError::Stopped), "{late:?}");
        let late = store.work_take(SPACE, STEP, TERMS).await.expect_err("the store has stopped");
        assert!(matches!(late, StoreError::Stopped), "{late:?}");
    }
    let shown = store.work_show(at(&acknowledged[0].work)).await.expect("reading goes on");
    assert!(shown.is_some());
    std::process::exit(REFUSED);
}
