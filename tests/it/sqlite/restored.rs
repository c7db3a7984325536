//! A ledger that was put back from a copy: how it is known, and what becomes of what was under way.

use crate::conformance::harness::{
    Bench, SPACE, TERMS, actor, again, arrival, blocked, candidate, held_row, in_doubt, retry, row, row_id,
    row_ref, saying, sent, take,
};
use crate::sqlite::backend::SqliteBackend;
use onceward::store::approval::Approved;
use onceward::store::bulk::{Batch, WorkChoice};
use onceward::store::claim::Arrival;
use onceward::store::error::StoreError;
use onceward::store::operate::{Decided, RowDecision, WorkDecision};
use onceward::store::outbox::RowState;
use onceward::store::pause::PauseScope;
use onceward::store::restored::{PutBack, Restored};
use onceward::store::sqlite::{SqliteSettings, SqliteStore, back_up, put_back, unfinished};
use onceward::store::work::{Outcome, WorkRef, WorkState};
use onceward::store::{Inspect as _, Ledger as _};
use rusqlite::Connection;
use std::fs::OpenOptions;
use std::io::{Seek as _, SeekFrom, Write as _};
use std::path::PathBuf;
use std::sync::Arc;

/// More tokens than a ledger gives out between a copy and its return.
const LEAP: i64 = 1 << 32;

struct Disaster {
    backend: Arc<SqliteBackend>,
    bench: Bench,
}

impl Disaster {
    async fn new() -> Self {
        let backend = Arc::new(SqliteBackend::default());
        Self { bench: Bench::new(Arc::clone(&backend)).await, backend }
    }

    fn copy(&self) -> PathBuf {
        self.backend.path().with_file_name("copy.db")
    }

    /// The ledger's file or one beside it.
    fn file(&self, suffix: &str) -> PathBuf {
        format!("{}{suffix}", self.backend.path().display()).into()
    }

    fn back_up(&self) {
        back_up(&self.backend.path(), &self.copy()).expect("it can be backed up while it is in use");
    }

    fn lose(&self) {
        for suffix in ["", "-wal", "-shm"] {
            let _ = std::fs::remove_file(self.file(suffix));
        }
    }

    /// Open the file that is there now; what became of it, where it was put back.
    async fn reopen(self) -> (Self, Option<Restored>) {
        let Self { backend, bench } = self;
        drop(bench);
        let restored = backend.store(None).restored().cloned();
        (Self { bench: Bench::new(Arc::clone(&backend)).await, backend }, restored)
    }

    /// The ledger is lost, and the backup takes its place.
    async fn restore(self) -> (Self, Restored) {
        let Self { backend, bench } = self;
        drop(bench);
        let lost = Self { bench: Bench::new(SqliteBackend::default()).await, backend };
        lost.lose();
        put_back(&lost.copy(), &lost.backend.path()).expect("the place is free");
        let (back, restored) = lost.reopen().await;
        (back, restored.expect("it was put back"))
    }
}

/// Two works under way, one of each kind that has stopped or ended, and a row in each state, named after it.
async fn everything(bench: &Bench) {
    bench.hold("running").await;
    let waiting = bench.hold("waiting").await;
    bench.settle(&waiting, retry(1_000)).await;
    let review = bench.hold("review").await;
    bench.settle(&review, Outcome::Review { cause: "odd".to_owned() }).await;
    let dead = bench.hold("dead").await;
    bench.settle(&dead, Outcome::Dead { cause: "broken".to_owned() }).await;
    let ends =
        [("sent", sent()), ("blocked", blocked()), ("in-doubt", in_doubt()), ("cancelled", again(0, false))];
    for (name, outcome) in ends {
        bench.enqueue(vec![row(name, "{}")]).await;
        let taken = bench.take_row().await;
        bench.settle_row(&taken, outcome).await;
    }
    bench
        .store
        .outbox_decide(row_ref("cancelled"), RowDecision::Cancel, actor())
        .await
        .expect("the store works");
    bench.enqueue(vec![row("sending", "{}")]).await;
    bench.take_row().await;
    bench.enqueue(vec![held_row("held")]).await;
    bench.enqueue(vec![saying("hello", row("pending", "{}"))]).await;
    bench.enqueue(vec![saying("hello", row("suppressed", "{}"))]).await;
}

#[tokio::test]
async fn a_backup_that_is_put_back_starts_paused_and_with_everything_unsettled_in_doubt() {
    let before = Disaster::new().await;
    everything(&before.bench).await;
    let last = before.bench.hold("last").await.token;
    before.back_up();
    let (after, restored) = before.restore().await;
    let bench = &after.bench;
    assert_eq!((restored.how, restored.works, restored.rows), (PutBack::Backup, 3, 5));

    let paused = bench.store.pause_list(SPACE).await.expect("the store works");
    assert!(
        matches!(&paused[..], [one] if one.scope == PauseScope::Everything && one.cause.contains("restored"))
    );
    assert_eq!(bench.take_ids(take()).await, []);
    assert!(bench.take().await.is_none());

    for (name, state) in [
        ("sent", RowState::Sent),
        ("cancelled", RowState::Cancelled),
        ("suppressed", RowState::Suppressed),
        ("blocked", RowState::InDoubt),
        ("in-doubt", RowState::InDoubt),
        ("sending", RowState::InDoubt),
        ("held", RowState::InDoubt),
        ("pending", RowState::InDoubt),
    ] {
        let row = bench.row(name).await;
        assert_eq!(row.state, state, "{name}");
        assert_eq!(row.maybe_applied, state == RowState::InDoubt, "{name}");
        let told =
            row.cause.as_deref().is_some_and(|cause| cause.starts_with("the ledger was restored as of "));
        assert_eq!(told, state == RowState::InDoubt, "{name}: {:?}", row.cause);
    }
    assert!(bench.row("blocked").await.cause.expect("a cause").ends_with("(before: 400)"));
    for (name, state) in [
        ("running", WorkState::InDoubt),
        ("waiting", WorkState::InDoubt),
        ("last", WorkState::InDoubt),
        ("review", WorkState::Review),
        ("dead", WorkState::Dead),
        ("pending", WorkState::Done),
    ] {
        let id = if name == "pending" { row_id(name).to_string() } else { name.to_owned() };
        let namespace = SPACE.to_owned();
        let work = WorkRef { namespace, id: arrival(&id).current.work_id };
        assert_eq!(bench.show(work.clone()).await.state, state, "{name}");
        let told = bench.kinds(work).await.last().is_some_and(|kind| kind == "restored");
        assert_eq!(told, state == WorkState::InDoubt || name == "pending", "{name}");
    }

    bench.unpause(SPACE, PauseScope::Everything).await;
    let token = bench.hold("new").await.token;
    assert!(token.number() > last.number() + LEAP, "{last} {token}");
    let (_, again) = after.reopen().await;
    assert_eq!(again, None, "it is taken up once");
}

#[tokio::test]
async fn what_the_destination_can_tell_is_checked_and_goes_out_as_a_repeat() {
    let before = Disaster::new().await;
    before.bench.enqueue(vec![row("a", "{}")]).await;
    let recorded_ms = before.bench.row("a").await.created_ms;
    before.back_up();
    before.bench.advance(60_000);
    let (after, _) = before.restore().await;
    let bench = &after.bench;
    bench.unpause(SPACE, PauseScope::Everything).await;
    let check = RowDecision::Check { due_in_ms: 0 };
    decide(bench, "a", check).await;
    let taken = bench.take_row().await;
    assert!(taken.maybe_applied && !taken.by_word, "nobody has said that it was not applied");
    assert_eq!(taken.first_attempt_ms, recorded_ms, "it may have gone out at any time since");
}

async fn decide(bench: &Bench, name: &str, decision: RowDecision) {
    let decided = bench.store.outbox_decide(row_ref(name), decision, actor()).await.expect("the store works");
    assert_eq!(decided, Decided::Applied);
}

#[tokio::test]
async fn what_nobody_has_approved_is_held_again_before_it_goes_out() {
    for decision in [RowDecision::Again { due_in_ms: 0 }, RowDecision::Check { due_in_ms: 0 }] {
        let before = Disaster::new().await;
        before.bench.enqueue(vec![held_row("a")]).await;
        before.back_up();
        let (after, _) = before.restore().await;
        let bench = &after.bench;
        bench.unpause(SPACE, PauseScope::Everything).await;
        assert_eq!(bench.approve(row_id("a")).await, Approved::Refused(RowState::InDoubt));
        decide(bench, "a", decision).await;
        assert_eq!(bench.state(row_id("a")).await, RowState::Held);
        assert_eq!(bench.take_ids(take()).await, []);
        assert_eq!(bench.approve(row_id("a")).await, Approved::Applied);
        assert_eq!(bench.take_ids(take()).await, [row_id("a")]);
    }
}

#[tokio::test]
async fn who_says_that_a_held_row_went_out_says_that_it_was_approved() {
    let before = Disaster::new().await;
    before.bench.enqueue(vec![held_row("a")]).await;
    before.back_up();
    let (after, _) = before.restore().await;
    decide(&after.bench, "a", RowDecision::Sent { external_reference: Some("d-9".to_owned()) }).await;
    let row = after.bench.row("a").await;
    assert_eq!((row.state, row.external_reference.as_deref()), (RowState::Sent, Some("d-9")));
    assert_eq!(row.approved_by.as_deref(), Some("Noor"));
}

#[tokio::test]
async fn a_suppressed_row_stays_so_since_the_first_one_may_have_gone_out() {
    let before = Disaster::new().await;
    before.bench.enqueue(vec![saying("hello", row("first", "{}"))]).await;
    before.bench.enqueue(vec![saying("hello", row("second", "{}"))]).await;
    before.back_up();
    let (after, _) = before.restore().await;
    let bench = &after.bench;
    bench.unpause(SPACE, PauseScope::Everything).await;
    decide(bench, "first", RowDecision::Cancel).await;
    assert_eq!(bench.take_ids(take()).await, []);
    assert_eq!(bench.state(row_id("second")).await, RowState::Suppressed);
}

#[tokio::test]
async fn works_in_doubt_are_run_again_in_bulk_or_are_done_by_word() {
    let before = Disaster::new().await;
    for id in ["a", "b", "c"] {
        before.bench.hold(id).await;
    }
    before.back_up();
    let (after, _) = before.restore().await;
    let bench = &after.bench;
    bench.unpause(SPACE, PauseScope::Everything).await;
    let work = WorkRef { namespace: SPACE.to_owned(), id: arrival("a").current.work_id };
    let done = WorkDecision::Done { output: "{}".to_owned(), external_reference: None };
    let decided = bench.store.work_decide(work.clone(), done, actor()).await.expect("the store works");
    assert_eq!((decided, bench.show(work).await.state), (Decided::Applied, WorkState::Done));
    let cause = Some("the ledger was restored".to_owned());
    let choice = WorkChoice { namespace: SPACE.to_owned(), state: WorkState::InDoubt, step: None, cause };
    let batch = Batch { limit: 10, first_in_ms: 0, every_ms: 500 };
    assert_eq!(bench.store.work_replay_all(choice, batch, actor()).await.expect("the store works"), 2);
    assert!(bench.take().await.is_some());
    assert!(bench.take().await.is_none(), "the second one comes later");
    bench.advance(500);
    assert!(bench.take().await.is_some());
}

#[tokio::test]
async fn an_older_copy_in_the_place_of_a_ledger_is_known_by_what_stands_beside_it() {
    let mut before = Disaster::new().await;
    before.bench.hold("a").await;
    before = before.reopen().await.0;
    // The owner has ended, and the file is whole without a log.
    let Disaster { backend, bench } = before;
    drop(bench);
    std::fs::copy(backend.path(), backend.path().with_file_name("old.db")).expect("it can be copied");
    let store = backend.store(None);
    store.work_claim(arrival("b"), TERMS).await.expect("the store works");
    drop(store);
    let old = backend.path().with_file_name("old.db");
    std::fs::copy(&old, backend.path()).expect("it can be copied");
    let restored = backend.store(None).restored().cloned().expect("it is behind");
    assert_eq!((restored.how, restored.works), (PutBack::Behind, 1));
    assert_eq!(backend.store(None).restored(), None, "it is taken up once");
}

#[tokio::test]
async fn a_ledger_that_goes_on_is_never_taken_for_a_copy() {
    let mut ledger = Disaster::new().await;
    for n in 0..5 {
        ledger.bench.hold(&n.to_string()).await;
        // A claim that the ledger refuses has given a token out, which is undone with it.
        let refused = Arrival { current: candidate("none", 0, "first"), ..arrival("none") };
        ledger.bench.store.work_claim(refused, TERMS).await.expect_err("there is no version 0");
        let (next, restored) = ledger.reopen().await;
        assert_eq!(restored, None);
        ledger = next;
    }
}

#[tokio::test]
async fn another_ledger_under_the_same_name_is_no_copy() {
    let before = Disaster::new().await;
    before.bench.hold("a").await;
    let Disaster { backend, bench } = before;
    drop(bench);
    std::fs::remove_file(backend.path()).expect("it is there");
    assert_eq!(backend.store(None).restored(), None);
}

#[tokio::test]
async fn a_person_can_say_that_a_ledger_in_its_place_is_a_copy() {
    let before = Disaster::new().await;
    before.bench.hold("a").await;
    let Disaster { backend, bench } = before;
    drop(bench);
    let store =
        SqliteStore::open_restored(&backend.settings(None), backend.clock(), &actor()).expect("it opens");
    assert_eq!(store.restored().map(|it| (it.how, it.works)), Some((PutBack::Said, 1)));
    let paused = store.pause_list(SPACE).await.expect("the store works").remove(0);
    assert_eq!(paused.paused_by.as_deref(), Some("Noor"));
    assert!(paused.cause.contains("Noor says: checked by hand"), "{}", paused.cause);
}

#[tokio::test]
async fn a_backup_is_whole_or_not_there_and_nothing_is_written_over() {
    let before = Disaster::new().await;
    before.bench.hold("a").await;
    // What one that was cut off has left.
    std::fs::write(unfinished(&before.copy()), "half").expect("it can be written");
    before.back_up();
    assert!(!unfinished(&before.copy()).exists());
    let taken = back_up(&before.backend.path(), &before.copy()).expect_err("it is there already");
    assert!(matches!(taken, StoreError::Taken { .. }), "{taken}");
    let owned = put_back(&before.copy(), &before.backend.path()).expect_err("a host has the ledger");
    assert!(matches!(owned, StoreError::Owned { .. }), "{owned}");

    let elsewhere = before.copy().with_file_name("no-folder").join("copy.db");
    let refused = back_up(&before.backend.path(), &elsewhere).expect_err("there is no folder");
    assert!(!matches!(refused, StoreError::Taken { .. }), "{refused}");
    let Disaster { backend, bench } = before;
    drop(bench);
    let copy = backend.path().with_file_name("copy.db");
    let taken = put_back(&copy, &backend.path()).expect_err("the ledger is there");
    assert!(matches!(taken, StoreError::Taken { .. }), "{taken}");
    let settings = SqliteSettings { path: copy, max_bytes: None };
    let unclaimed = SqliteStore::open_read_only(&settings).err().expect("nobody has taken it up");
    assert!(matches!(unclaimed, StoreError::Unclaimed { .. }), "{unclaimed}");
}

#[tokio::test]
async fn a_backup_does_not_get_the_log_of_the_ledger_that_was_in_its_place() {
    let before = Disaster::new().await;
    before.bench.hold("a").await;
    before.back_up();
    before.bench.hold("b").await;
    // As a SIGKILL leaves it: with its log.
    let log = std::fs::read(before.file("-wal")).expect("the log is there");
    let Disaster { backend, bench } = before;
    drop(bench);
    let copy = backend.path().with_file_name("copy.db");
    std::fs::copy(&copy, backend.path()).expect("it can be copied");
    std::fs::write(format!("{}-wal", backend.path().display()), log).expect("it can be written");
    let open = || SqliteStore::open(&backend.settings(None), backend.clock());
    let stray = open().err().expect("the log is another ledger's");
    assert!(matches!(stray, StoreError::StrayLog { .. }), "{stray}");
    std::fs::remove_file(format!("{}-wal", backend.path().display())).expect("it is there");
    let store = open().expect("it opens");
    assert_eq!(store.restored().map(|it| it.works), Some(1));
    // Now the log is its own, also where the process ends before it is moved into the file.
    let files = ["", "-wal"].map(|suffix| {
        let path = format!("{}{suffix}", backend.path().display());
        (path.clone(), std::fs::read(path).expect("it is there"))
    });
    drop(store);
    for (path, bytes) in files {
        std::fs::write(path, bytes).expect("it can be written");
    }
    assert_eq!(open().expect("it opens").restored(), None);
}

#[tokio::test]
async fn a_damaged_copy_is_refused_and_nothing_is_left_in_the_place() {
    let before = Disaster::new().await;
    for n in 0..50 {
        before.bench.hold(&n.to_string()).await;
    }
    before.back_up();
    let mut copy = OpenOptions::new().write(true).open(before.copy()).expect("it is there");
    let middle = copy.metadata().expect("it is there").len() / 2;
    copy.seek(SeekFrom::Start(middle))
        .and_then(|_| copy.write_all(&[0x5a; 8_192]))
        .expect("it can be spoilt");
    let Disaster { backend, bench } = before;
    drop(bench);
    std::fs::remove_file(backend.path()).expect("it is there");
    let damaged = put_back(&backend.path().with_file_name("copy.db"), &backend.path()).expect_err("damaged");
    assert!(damaged.to_string().starts_with("putting "), "{damaged}");
    assert!(!backend.path().exists());
}

#[tokio::test]
async fn a_copy_that_holds_other_works_than_it_has_counted_is_refused() {
    let before = Disaster::new().await;
    before.bench.hold("1").await;
    before.back_up();
    before.lose();
    let Disaster { backend, bench } = before;
    drop(bench);
    let (path, copy) = (backend.path(), backend.path().with_file_name("copy.db"));
    // As where the pages of one table are older than those of another.
    let hand = Connection::open(&copy).expect("the copy opens");
    hand.execute("UPDATE state_count SET number = 3 WHERE noun = 'work'", []).expect("it is changed");
    drop(hand);
    let refused = put_back(&copy, &path).expect_err("it is damaged").to_string();
    assert!(refused.contains("of work in the state running it counts 3, and holds 1"), "{refused}");
    assert!(!path.exists());
}
