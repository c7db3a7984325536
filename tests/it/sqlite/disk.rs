//! A disk that is really full: a small file system in memory, which takes the right to mount.

use crate::conformance::harness::{SPACE, TERMS, arrival, done, held};
use crate::sqlite::batch::{Gate, claim, giant, settle, settle_with_a_fault};
use crate::sqlite::full::{assert_kept, fill};
use onceward::store::claim::{Arrival, Claim, Standing, Taking};
use onceward::store::error::StoreError;
use onceward::store::outbox::RowState;
use onceward::store::sqlite::{SqliteSettings, SqliteStore};
use onceward::store::work::{Settled, WorkState};
use onceward::store::{Inspect, Ledger};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;
use support::sim_clock::SimClock;
use tempfile::TempDir;

/// The size of the small disk. It holds the ledger, its log and some works.
const DISK_BYTES: u64 = 4 << 20;

/// A payload that does not fit in [`LEFT_BYTES`]; small settles do.
const GIANT_BYTES: usize = 1_100_000;

/// What a test leaves of the disk.
const LEFT_BYTES: u64 = 900_000;

/// A small disk, mounted for a test.
struct SmallDisk(TempDir);

impl SmallDisk {
    /// None, and a loud word, where the test may not mount.
    fn mount() -> Option<Self> {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let size = format!("size={DISK_BYTES}");
        let mounted = Command::new("mount")
            .args(["-t", "tmpfs", "-o", size.as_str(), "tmpfs"])
            .arg(folder.path())
            .output()
            .is_ok_and(|output| output.status.success());
        mounted.then(|| Self(folder))
    }

    fn settings(&self) -> SqliteSettings {
        SqliteSettings { path: self.0.path().join("onceward.db"), max_bytes: None }
    }

    fn open(&self) -> SqliteStore {
        SqliteStore::open(&self.settings(), Arc::<SimClock>::default()).expect("the ledger opens")
    }

    /// Twice the size.
    fn grow(&self) {
        self.remount(&format!("size={}", 2 * DISK_BYTES));
    }

    fn remount(&self, option: &str) {
        let remount = format!("remount,{option}");
        let mounted = Command::new("mount").args(["-o", remount.as_str()]).arg(self.0.path()).status();
        assert!(mounted.is_ok_and(|status| status.success()), "what was mounted can be mounted otherwise");
    }

    /// Use up the rest of the disk, to the last byte.
    fn use_up(&self) -> PathBuf {
        let path = self.0.path().join("somebody else's");
        let mut file = std::fs::File::create(&path).expect("a file can be made");
        for block_bytes in [4_096, 1] {
            while file.write_all(&vec![0; block_bytes]).is_ok() {}
        }
        path
    }

    /// Leave so many bytes to the ledger.
    fn use_up_but(&self, left_bytes: u64) {
        let filler = std::fs::File::options().write(true).open(self.use_up()).expect("it was just made");
        let length = filler.metadata().expect("it is open").len();
        filler.set_len(length - left_bytes).expect("it can be cut");
    }
}

impl Drop for SmallDisk {
    fn drop(&mut self) {
        let path: &Path = self.0.path();
        let _ = Command::new("umount").arg("-l").arg(path).status();
    }
}

/// A disk, or a loud skip.
macro_rules! small_disk {
    () => {
        match SmallDisk::mount() {
            Some(disk) => disk,
            None => {
                eprintln!("SKIPPED: a file system can't be mounted here, so no disk can be really full");
                return;
            }
        }
    };
}

#[tokio::test]
async fn a_full_disk_refuses_loses_nothing_and_goes_on_after_space_is_made() {
    let disk = small_disk!();
    let store = Arc::new(disk.open());
    let mut promised = Vec::new();
    for n in 0..10 {
        let held = held(store.work_claim(arrival(&n.to_string()), TERMS).await.expect("there is space"));
        held.durable.wait().await.expect("it is committed");
        promised.push(held);
    }
    let filler = disk.use_up();
    let (more, refusal) = fill(&store, "more").await;
    assert!(matches!(refusal, StoreError::Full { .. }) && refusal.is_transient(), "{refusal:?}");
    promised.extend(more);
    assert_kept(&store, &promised).await;
    let refused =
        settle(&store, &promised[0], done()).await.expect("no panic").expect_err("the disk is full");
    assert!(matches!(refused, StoreError::Full { .. }), "{refused:?}");
    std::fs::remove_file(filler).expect("it can be removed");
    assert_eq!(
        settle(&store, &promised[0], done()).await.unwrap().expect("there is space"),
        Settled::Applied
    );
    let new = held(store.work_claim(arrival("new"), TERMS).await.expect("there is space"));
    new.durable.wait().await.expect("it is committed");
    promised.push(new);
    drop(store);
    let store = disk.open();
    assert_kept(&store, &promised).await;
    let counts = store.work_counts(SPACE).await.expect("the store works");
    assert_eq!(counts.by_state.values().sum::<u64>(), promised.len() as u64, "a refused work was kept");
}

#[tokio::test]
async fn a_disk_that_fills_up_to_the_brim_loses_nothing() {
    let disk = small_disk!();
    let store = disk.open();
    let (promised, refusal) = fill(&store, "").await;
    assert!(matches!(refusal, StoreError::Full { .. }), "{refusal:?}");
    assert!(promised.len() > 10);
    assert_kept(&store, &promised).await;
    drop(store);
    // Becoming the owner takes a little space; reading takes none.
    let opening = SqliteStore::open(&disk.settings(), Arc::<SimClock>::default()).map(|_| ());
    assert!(matches!(opening, Err(StoreError::Full { .. })), "{opening:?}");
    let reader = SqliteStore::open_read_only(&disk.settings()).expect("reading takes no space");
    assert_kept(&reader, &promised).await;
    drop(reader);
    disk.grow();
    let store = disk.open();
    assert_kept(&store, &promised).await;
    let counts = store.work_counts(SPACE).await.expect("the store works");
    assert_eq!(counts.by_state.values().sum::<u64>(), promised.len() as u64, "a refused work was kept");
    held(store.work_claim(arrival("new"), TERMS).await.expect("there is space"))
        .durable
        .wait()
        .await
        .expect("likewise");
}

/// As a folder is that may not be written, which holds for every user here.
#[tokio::test]
async fn a_disk_that_may_only_be_read_is_refused_by_name_and_keeps_what_it_has() {
    let disk = small_disk!();
    let store = disk.open();
    let work = held(store.work_claim(arrival("a"), TERMS).await.expect("there is space"));
    work.durable.wait().await.expect("it is committed");
    drop(store);
    disk.remount("ro");
    let opening = SqliteStore::open(&disk.settings(), Arc::<SimClock>::default()).map(|_| ());
    let Err(refusal @ StoreError::Open { .. }) = opening else { panic!("another answer: {opening:?}") };
    assert!(refusal.to_string().contains(&disk.settings().path.display().to_string()), "{refusal}");
    disk.remount("rw");
    assert_kept(&disk.open(), &[work]).await;
}

/// The statements of the batch succeed, and its commit does not: every command gets its chance alone.
#[tokio::test]
async fn a_commit_that_does_not_fit_fails_for_the_one_at_fault() {
    let disk = small_disk!();
    let store = Arc::new(disk.open());
    let mut works = Vec::new();
    for n in 0..9 {
        let held = held(store.work_claim(arrival(&n.to_string()), TERMS).await.expect("there is space"));
        held.durable.wait().await.expect("it is committed");
        works.push(held);
    }
    disk.use_up_but(LEFT_BYTES);
    let before = store.commits();
    let gate = Gate::close(&disk.settings().path);
    let failed = settle_with_a_fault(&store, &works, gate, giant(GIANT_BYTES)).await;
    assert!(matches!(failed, Err(StoreError::Full { .. })), "{failed:?}");
    assert_eq!(store.commits() - before, 8, "the batch did not fail as a whole");
    assert_eq!(
        store.outbox_counts(SPACE).await.expect("the store works").by_state.get(&RowState::Pending),
        Some(&8)
    );
}

/// Whoever is told that an event is on record waits for the commit, so it is tried again alone as well.
#[tokio::test]
async fn an_event_is_recorded_beside_one_that_does_not_fit() {
    let disk = small_disk!();
    let store = Arc::new(disk.open());
    let record = |n: usize| {
        let payload = if n == 1 { "x".repeat(GIANT_BYTES) } else { "{}".to_owned() };
        claim(&store, Arrival { taking: Taking::Record, payload, ..arrival(&n.to_string()) })
    };
    disk.use_up_but(LEFT_BYTES);
    let gate = Gate::close(&disk.settings().path);
    let records: Vec<_> = (0..3).map(record).collect();
    gate.open().await;
    for (n, record) in records.into_iter().enumerate() {
        match record.await.expect("no panic") {
            Ok(Claim::Answered(answered)) => assert!(n != 1 && answered.standing == Standing::Recorded),
            Ok(Claim::Acquired(held)) => panic!("nobody asked to run {:?}", held.work),
            Err(error) => assert!(n == 1 && matches!(error, StoreError::Full { .. }), "{n}: {error}"),
        }
    }
    assert_eq!(store.commits(), 2, "the batch did not fail as a whole");
    assert_eq!(store.work_counts(SPACE).await.expect("the store works").of(WorkState::Waiting), 2);
}

/// A claim is answered before its commit. Where the commit fails, its token must never be another holder's.
#[tokio::test]
async fn a_claim_whose_commit_failed_holds_nothing() {
    let disk = small_disk!();
    let store = Arc::new(disk.open());
    let filler = disk.use_up();
    // A log that is begun anew needs no space; the works before use that up.
    fill(&store, "before").await;
    let early =
        match claim(&store, arrival("a")).await.expect("no panic").expect("answered before the commit") {
            Claim::Acquired(held) => held,
            Claim::Answered(answered) => panic!("{answered:?}"),
        };
    let failed = early.durable.wait().await;
    assert!(matches!(failed, Err(StoreError::Full { .. })), "{failed:?}");
    std::fs::remove_file(filler).expect("it can be removed");
    let next = held(store.work_claim(arrival("a"), TERMS).await.expect("there is space"));
    next.durable.wait().await.expect("it is committed");
    assert_eq!((next.work.attempt, next.takeover), (1, false), "something of the failed claim was kept");
    assert!(next.token > early.token, "a token was given out twice");
    let stale = settle(&store, &early, done()).await.expect("no panic").expect("the store works");
    assert_eq!(stale, Settled::LeaseLost);
    assert_eq!(settle(&store, &next, done()).await.unwrap().expect("the store works"), Settled::Applied);
}

/// What a duplicate is told must be as durable as what it is told about.
#[tokio::test]
async fn a_duplicate_in_a_commit_that_failed_is_told_nothing() {
    let disk = small_disk!();
    let store = Arc::new(disk.open());
    let _filler = disk.use_up();
    fill(&store, "before").await;
    let gate = Gate::close(&disk.settings().path);
    let (_first, duplicate) = (claim(&store, arrival("a")), claim(&store, arrival("a")));
    gate.open().await;
    let told = duplicate.await.expect("no panic");
    assert!(matches!(told, Err(StoreError::Full { .. })), "{told:?}");
}
