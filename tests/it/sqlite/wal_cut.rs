//! A write-ahead log that ends anywhere: what a power cut leaves of its last frames.
//!
//! The ledger's files are copied while the store is open, as a SIGKILL would leave them; each copy's log is cut at another
//! byte, or spoilt at one. What is read then must be the state after some commit: the last whole one.

use crate::conformance::harness::{TERMS, arrival, done_with, held, rows};
use crate::sqlite::backend::SqliteBackend;
use crate::sqlite::batch::settle;
use onceward::store::Ledger;
use onceward::store::sqlite::{SqliteSettings, SqliteStore};
use onceward::store::work::Settled;
use rusqlite::{Connection, OpenFlags};
use std::fs::File;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use support::sim_clock::SimClock;

/// Works that are claimed and settled; each is two commits.
const WORKS: usize = 4;

/// Frames that are cut at each byte: the last one carries the commit.
const CUT_FRAMES: u64 = 1;

/// Commits whose frames are cut at their edges, and spoilt.
const SPOILT_COMMITS: usize = 2;

/// The sizes that SQLite gives a log's head, a frame's head and a page, in bytes.
const LOG_HEAD_BYTES: u64 = 32;
const FRAME_BYTES: u64 = 24 + 4_096;

/// What is on record: works and rows with their states.
type State = Vec<String>;

fn state(connection: &Connection) -> State {
    let sql = "SELECT hex(work_id) || state FROM work UNION ALL SELECT hex(row_id) || state FROM outbox";
    let mut query = connection.prepare(sql).expect("a ledger");
    query.query_map([], |row| row.get(0)).expect("it reads").collect::<Result<_, _>>().expect("it reads")
}

fn log_of(ledger: &Path) -> PathBuf {
    ledger.with_extension("db-wal")
}

/// The states after each commit, each with the log's length then; and the folder of the ledger as a SIGKILL leaves it.
struct History {
    commits: Vec<(u64, State)>,
    ledger: Vec<u8>,
    log: Vec<u8>,
}

impl History {
    async fn make() -> Self {
        let backend = SqliteBackend::default();
        let store = Arc::new(backend.store(None));
        let (log, direct) = (log_of(&backend.path()), backend.direct());
        let length = || std::fs::metadata(&log).expect("the log is there").len();
        let mut commits = vec![(length(), state(&direct))];
        for n in 0..WORKS {
            let work = held(store.work_claim(arrival(&n.to_string()), TERMS).await.expect("the store works"));
            work.durable.wait().await.expect("it is committed");
            commits.push((length(), state(&direct)));
            let outcome = done_with(rows(&[&format!("{n}a"), &format!("{n}b")]));
            assert_eq!(
                settle(&store, &work, outcome).await.expect("no panic").expect("it works"),
                Settled::Applied
            );
            commits.push((length(), state(&direct)));
        }
        assert!(
            commits.windows(2).all(|two| two[0].0 < two[1].0 && two[0].1 != two[1].1),
            "one log, no pause"
        );
        let ledger = std::fs::read(backend.path()).expect("it can be copied");
        Self { commits, ledger, log: std::fs::read(&log).expect("it can be copied") }
    }

    fn end(&self) -> u64 {
        self.log.len() as u64
    }

    /// The state after the last commit that lies whole before this byte.
    fn before(&self, byte: u64) -> &State {
        let (_, state) =
            self.commits.iter().rev().find(|(end, _)| *end <= byte).expect("the log began before");
        state
    }

    /// Lay a copy of the ledger down with this log.
    fn lay(&self, folder: &Path, log: &[u8]) -> PathBuf {
        let path = folder.join("onceward.db");
        let _ = std::fs::remove_file(path.with_extension("db-shm"));
        std::fs::write(&path, &self.ledger).expect("a copy");
        std::fs::write(log_of(&path), log).expect("a copy");
        path
    }

    /// Another owner opens what is left, and finds this state and nothing half.
    fn check(&self, folder: &Path, log: &[u8], expected: &State, what: &str) {
        let path = self.lay(folder, log);
        let settings = SqliteSettings { path: path.clone(), max_bytes: None };
        let _store = SqliteStore::open(&settings, Arc::<SimClock>::default())
            .unwrap_or_else(|error| panic!("{what}: {error}"));
        let direct = Connection::open(&path).expect("the file opens");
        assert_eq!(&state(&direct), expected, "{what}");
        let intact: String =
            direct.query_row("PRAGMA integrity_check", [], |row| row.get(0)).expect("it is checked");
        assert_eq!(intact, "ok", "{what}");
    }
}

fn place(byte: u64) -> usize {
    usize::try_from(byte).expect("a place in a short file")
}

#[tokio::test]
async fn a_log_cut_at_any_byte_of_its_last_frames_is_the_state_after_the_last_whole_commit() {
    let (history, folder) = (History::make().await, tempfile::tempdir().expect("a temporary folder"));
    let frames = (history.end() - LOG_HEAD_BYTES) / FRAME_BYTES;
    assert_eq!(LOG_HEAD_BYTES + frames * FRAME_BYTES, history.end(), "the log is whole frames");
    let path = history.lay(folder.path(), &history.log);
    let log = File::options().write(true).open(log_of(&path)).expect("it was just made");
    for byte in (history.end() - CUT_FRAMES * FRAME_BYTES..=history.end()).rev() {
        log.set_len(byte).expect("it can be cut");
        // The index of the log is made anew from the log, as after a restart.
        let _ = std::fs::remove_file(path.with_extension("db-shm"));
        // It writes nothing back, so that the log stays for the next cut.
        let reader = Connection::open_with_flags(&path, OpenFlags::SQLITE_OPEN_READ_ONLY).expect("it opens");
        assert_eq!(&state(&reader), history.before(byte), "cut at byte {byte} of {}", history.end());
    }
}

#[tokio::test]
async fn a_log_cut_between_frames_or_spoilt_in_one_is_opened_at_the_last_whole_commit_and_is_intact() {
    let (history, folder) = (History::make().await, tempfile::tempdir().expect("a temporary folder"));
    let first = history.commits[history.commits.len() - 1 - SPOILT_COMMITS].0;
    for frame in (first..history.end()).step_by(place(FRAME_BYTES)) {
        let what = format!("cut before byte {frame}");
        history.check(folder.path(), &history.log[..place(frame)], history.before(frame), &what);
        for byte in [frame, frame + FRAME_BYTES - 1] {
            let mut spoilt = history.log.clone();
            spoilt[place(byte)] ^= 0x55;
            let what = format!("spoilt at byte {byte}");
            history.check(folder.path(), &spoilt, history.before(byte), &what);
        }
    }
}
