//! The group commit: many callers in one commit, and none of them pays for another's fault.

use crate::conformance::harness::{
    ATTEMPTS, Backend, Bench, LEASE_MS, SPACE, TERMS, actor, arrival, at, done, done_with, held, row, rows,
};
use crate::sqlite::backend::SqliteBackend;
use onceward::clock::Clock;
use onceward::identity::key::ContentHash;
use onceward::store::action::ACTION_KEPT_MS;
use onceward::store::claim::{Acquired, Arrival, Candidate, Claim, Standing, Terms};
use onceward::store::error::StoreError;
use onceward::store::item::ItemEffect;
use onceward::store::operate::Actor;
use onceward::store::outbox::{Approval, NewRow};
use onceward::store::sqlite::SqliteStore;
use onceward::store::work::{Collected, Outcome, Settled, Settlement, WorkFilter, WorkState};
use onceward::store::{Inspect, Ledger};
use rusqlite::Connection;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};
use tokio::task::JoinHandle;

/// A size that a few works fit in, and a payload that does not. Bytes.
const SMALL_BYTES: u64 = 1 << 20;
const GIANT_BYTES: usize = 2 << 20;

/// Which of the works of a batch is spoilt: one with others before and behind it.
const FAULT: usize = 4;

/// Another program's write transaction: while it is open the writer waits at its BEGIN, and callers queue up
/// behind it for one batch.
pub(super) struct Gate(Connection);

impl Gate {
    pub(super) fn close(path: &Path) -> Self {
        let connection = Connection::open(path).expect("the file opens");
        connection.execute_batch("BEGIN IMMEDIATE").expect("the file is free");
        Self(connection)
    }

    /// Let the batch go, once all spawned callers have queued up: the runtime has one thread, which runs them in
    /// turn.
    pub(super) async fn open(self) {
        for _ in 0..3 {
            tokio::task::yield_now().await;
        }
        self.0.execute_batch("ROLLBACK").expect("nothing was written");
    }
}

pub(super) fn claim(store: &Arc<SqliteStore>, arrival: Arrival) -> JoinHandle<Result<Claim, StoreError>> {
    let store = Arc::clone(store);
    tokio::spawn(async move { store.work_claim(arrival, TERMS).await })
}

pub(super) fn settle(
    store: &Arc<SqliteStore>,
    held: &Acquired,
    outcome: Outcome,
) -> JoinHandle<Result<Settled, StoreError>> {
    let settlement = Settlement {
        work: at(&held.work),
        token: held.token,
        outcome,
        notes: Vec::new(),
        replays: Vec::new(),
    };
    let store = Arc::clone(store);
    tokio::spawn(async move { store.work_settle(settlement).await })
}

async fn hold(store: &SqliteStore, id: &str) -> Box<Acquired> {
    let held = held(store.work_claim(arrival(id), TERMS).await.expect("the store works"));
    held.durable.wait().await.expect("it is committed");
    held
}

/// The claim is one commit and the settle the other: event, work and claim are one row, and everything that ends a work is
/// one transaction.
#[tokio::test]
async fn a_work_takes_two_commits() {
    let store = Arc::new(SqliteBackend::default().store(None));
    let before = store.commits();
    let work = held(store.work_claim(arrival("a"), TERMS).await.expect("the store works"));
    work.durable.wait().await.expect("the claim is committed");
    let settled = settle(&store, &work, done()).await.expect("no panic").expect("the store works");
    assert_eq!((settled, store.commits() - before), (Settled::Applied, 2));
}

/// So long that a test which waits for its end never passes, in milliseconds.
const ENDLESS_MS: u64 = 3_600_000;

#[tokio::test]
async fn a_quick_run_takes_one_commit() {
    let store = Arc::new(SqliteBackend::default().store(None));
    store.linger_ms(ENDLESS_MS);
    let before = store.commits();
    let work = held(store.work_claim(arrival("a"), TERMS).await.expect("the store works"));
    let settled = settle(&store, &work, done()).await.expect("no panic").expect("the store works");
    work.durable.wait().await.expect("the claim was committed with the settle");
    assert_eq!((settled, store.commits() - before), (Settled::Applied, 1));
}

#[tokio::test]
async fn a_commit_that_somebody_waits_for_is_not_kept_open() {
    let backend = SqliteBackend::default();
    let store = Arc::new(backend.store(None));
    store.linger_ms(ENDLESS_MS);
    let work = held(store.work_claim(arrival("a"), TERMS).await.expect("the store works"));
    work.durable.wait().await.expect("it is committed");
    // Nor is one that somebody would miss who looks.
    let other = held(store.work_claim(arrival("b"), TERMS).await.expect("the store works"));
    assert!(store.work_show(at(&other.work)).await.expect("the store works").is_some());
}

#[tokio::test]
async fn repeats_of_finished_work_are_answered_before_they_are_counted_and_share_a_commit() {
    let backend = SqliteBackend::default();
    let store = Arc::new(backend.store(None));
    let work = hold(&store, "a").await;
    settle(&store, &work, done()).await.expect("no panic").expect("the store works");
    backend.advance(1);
    store.linger_ms(ENDLESS_MS);
    let before = store.commits();
    for _ in 0..20 {
        let claim = store.work_claim(arrival("a"), TERMS).await.expect("the store works");
        assert!(matches!(claim, Claim::Answered(answered) if matches!(answered.standing, Standing::Done(_))));
    }
    assert_eq!(store.commits(), before, "nobody waits for them");
    let shown = store.work_show(at(&work.work)).await.expect("the store works").expect("it is there");
    assert_eq!((shown.duplicates, store.commits() - before), (20, 1), "and whoever looks sees them all");
}

#[tokio::test]
async fn a_repeat_of_ended_work_waits_for_no_writer() {
    let backend = SqliteBackend::default();
    let store = Arc::new(backend.store(None));
    let work = hold(&store, "a").await;
    settle(&store, &work, done()).await.expect("no panic").expect("the store works");
    let gate = Gate::close(&backend.path());
    for _ in 0..3 {
        let claim = store.work_claim(arrival("a"), TERMS).await.expect("nobody has to write for it");
        assert!(matches!(claim, Claim::Answered(answered) if matches!(answered.standing, Standing::Done(_))));
    }
    gate.open().await;
    let shown = store.work_show(at(&work.work)).await.expect("the store works").expect("it is there");
    assert_eq!(shown.duplicates, 3, "whoever looks sees them counted");
    // What has other content is no repeat, whatever has ended under its id.
    let other = Arrival { payload: "{}".to_owned(), ..arrival("a") };
    let other = Arrival {
        current: Candidate { content_hash: ContentHash::from_bytes([9; 32]), ..other.current },
        ..other
    };
    let claim = store.work_claim(other, TERMS).await.expect("the store works");
    let refused =
        matches!(&claim, Claim::Answered(answered) if matches!(answered.standing, Standing::Mismatch { .. }));
    assert!(refused, "{claim:?}");
}

/// The duties of a host ask again and again, and mostly for nothing.
#[tokio::test]
async fn a_pass_with_nothing_to_do_writes_nothing() {
    let backend = Arc::<SqliteBackend>::default();
    let bench = Bench::new(Arc::clone(&backend)).await;
    let in_time = |id: &str| {
        let approval = Approval { reason: "look".to_owned(), expires_after_ms: Some(LEASE_MS) };
        NewRow { approval: Some(approval), ..row(id, "{}") }
    };
    bench.enqueue(vec![in_time("r")]).await;
    let doing = Actor { action: Some("a1".to_owned()), ..actor() };
    bench.store.marker_set(SPACE, "synced", doing).await.expect("the store works");
    let (counted, store) = (backend.direct(), &bench.store);
    let commits = || -> i64 { counted.pragma_query_value(None, "data_version", |row| row.get(0)).unwrap() };
    let pass = async || {
        // A commit that changes nothing, not even the time, is not seen by others.
        bench.advance(1);
        let before = commits();
        let expired = store.outbox_expire(SPACE).await.expect("the store works").len() as u64;
        let alerts = store.alert_collect(SPACE, "ops").await.expect("the store works");
        let lapsed = store.work_lapse(SPACE).await.expect("the store works");
        let actions = store.action_expire(SPACE, 10).await.expect("the store works");
        ([expired, alerts, lapsed, actions], commits() != before)
    };
    assert_eq!(pass().await, ([0; 4], false));
    bench.advance(LEASE_MS);
    assert_eq!(pass().await, ([1, 0, 0, 0], true));
    assert_eq!(pass().await, ([0; 4], false));
    let dead = bench.hold("dead").await;
    bench.settle(&dead, Outcome::Dead { cause: "used up".to_owned() }).await;
    bench.advance(ACTION_KEPT_MS);
    assert_eq!(pass().await, ([0, 1, 0, 1], true));
    assert_eq!(pass().await, ([0; 4], false));
}

#[tokio::test]
async fn two_hundred_claims_share_a_few_commits() {
    let backend = SqliteBackend::default();
    let store = Arc::new(backend.store(None));
    let gate = Gate::close(&backend.path());
    let claims: Vec<_> = (0..200).map(|n| claim(&store, arrival(&n.to_string()))).collect();
    gate.open().await;
    for claim in claims {
        let held = held(claim.await.expect("no panic").expect("no error"));
        held.durable.wait().await.expect("it is committed");
    }
    assert!((1..=5).contains(&store.commits()), "{} commits", store.commits());
    assert_eq!(
        store.work_counts(SPACE).await.expect("the store works").by_state.get(&WorkState::Running),
        Some(&200)
    );
}

#[tokio::test]
async fn a_claim_is_durable_after_its_wait() {
    let backend = SqliteBackend::default();
    let store = backend.store(None);
    let held = held(store.work_claim(arrival("a"), TERMS).await.expect("the store works"));
    held.durable.wait().await.expect("it is committed");
    let count: i64 = backend.direct().query_row("SELECT count(*) FROM work", [], |row| row.get(0)).unwrap();
    assert_eq!((count, store.commits()), (1, 1));
    held.durable.wait().await.expect("it stays committed");
}

/// Settle these works in one batch, the one at [`FAULT`] spoilt; all others must hold. What became of the spoilt one.
pub(super) async fn settle_with_a_fault(
    store: &Arc<SqliteStore>,
    works: &[Box<Acquired>],
    gate: Gate,
    spoil: impl Fn(&mut Collected),
) -> Result<Settled, StoreError> {
    let settles: Vec<_> = works
        .iter()
        .enumerate()
        .map(|(n, held)| {
            let mut collected = rows(&[&n.to_string()]);
            if n == FAULT {
                spoil(&mut collected);
            }
            settle(store, held, done_with(collected))
        })
        .collect();
    gate.open().await;
    let mut failed = None;
    for (n, settled) in settles.into_iter().enumerate() {
        let settled = settled.await.expect("no panic");
        if n == FAULT {
            failed = Some(settled);
        } else {
            assert_eq!(settled.expect("not at fault"), Settled::Applied, "{n}");
        }
    }
    failed.expect("there are enough works")
}

/// A row of this size, which the space that is left can't hold.
pub(super) fn giant(bytes: usize) -> impl Fn(&mut Collected) {
    move |collected| collected.rows.push(row("giant", &"x".repeat(bytes)))
}

#[tokio::test]
async fn a_command_that_fails_takes_nothing_along() {
    let backend = SqliteBackend::default();
    let store = Arc::new(backend.store(None));
    let mut works = Vec::new();
    for n in 0..9 {
        works.push(hold(&store, &n.to_string()).await);
    }
    let before = store.commits();
    let gate = Gate::close(&backend.path());
    // It never claimed this item: the statement after the rows fails.
    let failed = settle_with_a_fault(&store, &works, gate, |collected| {
        collected.effects.push(ItemEffect { key: "never claimed".to_owned(), external_reference: None });
    })
    .await;
    assert!(matches!(failed, Err(StoreError::Corrupt { .. })), "{failed:?}");
    assert!(store.commits() - before <= 2, "{} commits", store.commits() - before);
    let stored: i64 =
        backend.direct().query_row("SELECT count(*) FROM outbox", [], |row| row.get(0)).unwrap();
    assert_eq!(stored, 8, "a row of the failed settle was kept");
    // The run whose settle failed still holds its work, and can end it otherwise.
    assert_eq!(
        settle(&store, &works[FAULT], done()).await.unwrap().expect("the store works"),
        Settled::Applied
    );
}

#[tokio::test]
async fn a_payload_that_does_not_fit_fails_alone() {
    let backend = SqliteBackend::default();
    let store = Arc::new(backend.store(Some(SMALL_BYTES)));
    let mut works = Vec::new();
    for n in 0..9 {
        works.push(hold(&store, &n.to_string()).await);
    }
    let gate = Gate::close(&backend.path());
    let failed = settle_with_a_fault(&store, &works, gate, giant(GIANT_BYTES)).await;
    assert!(matches!(failed, Err(StoreError::Full { .. })), "{failed:?}");
    let stored: i64 =
        backend.direct().query_row("SELECT count(*) FROM outbox", [], |row| row.get(0)).unwrap();
    assert_eq!(stored, 8);
}

#[tokio::test]
async fn many_callers_of_one_key_in_one_batch_get_one_claim() {
    let backend = SqliteBackend::default();
    let store = Arc::new(backend.store(None));
    let gate = Gate::close(&backend.path());
    let claims: Vec<_> = (0..50).map(|_| claim(&store, arrival("a"))).collect();
    gate.open().await;
    let mut acquired = 0;
    for claim in claims {
        match claim.await.expect("no panic").expect("no error") {
            Claim::Acquired(_) => acquired += 1,
            Claim::Answered(answered) => assert!(matches!(answered.standing, Standing::InProgress { .. })),
        }
    }
    assert_eq!(acquired, 1);
}

/// A clock that moves on by a minute whenever somebody looks at it.
#[derive(Default)]
struct Hasty(AtomicI64);

impl Clock for Hasty {
    fn now_ms(&self) -> i64 {
        self.0.fetch_add(60_000, Ordering::SeqCst)
    }

    fn random_up_to(&self, _ceiling: u64) -> u64 {
        0
    }
}

#[tokio::test]
async fn a_command_that_joins_a_batch_has_a_time_of_its_own_which_lasts() {
    let backend = SqliteBackend::default();
    let clock = Arc::<Hasty>::default();
    let store = SqliteStore::open(&backend.settings(None), Arc::clone(&clock) as Arc<dyn Clock>).unwrap();
    let store = Arc::new(store);
    let gate = Gate::close(&backend.path());
    let claims: Vec<_> = (0..5).map(|n| claim(&store, arrival(&n.to_string()))).collect();
    gate.open().await;
    let mut times = Vec::new();
    for claim in claims {
        let held = held(claim.await.expect("no panic").expect("no error"));
        held.durable.wait().await.expect("it is committed");
        times.push(held.work.created_ms);
    }
    assert!(times.windows(2).all(|pair| pair[0] < pair[1]), "{times:?}");
    assert!(store.commits() <= 2, "{} commits", store.commits());
    drop(store);
    clock.0.store(0, Ordering::SeqCst);
    let store = SqliteStore::open(&backend.settings(None), clock).unwrap();
    let next = hold(&store, "next").await;
    assert!(Some(&next.work.created_ms) >= times.last(), "time went back");
}

/// It waits for as long as the store's deadline lasts.
#[tokio::test]
async fn s11_a_file_that_stays_busy_is_no_outcome() {
    let backend = SqliteBackend::default();
    let store = backend.store(None);
    let held = hold(&store, "a").await;
    let gate = Gate::close(&backend.path());
    let settlement = Settlement {
        work: at(&held.work),
        token: held.token,
        outcome: done(),
        notes: Vec::new(),
        replays: Vec::new(),
    };
    let busy = store.work_settle(settlement.clone()).await.expect_err("the file is busy");
    assert!(matches!(busy, StoreError::Busy { .. }) && busy.is_transient(), "{busy:?}");
    gate.open().await;
    assert_eq!(store.work_settle(settlement).await.expect("the file is free"), Settled::Applied);
}

#[tokio::test]
async fn runs_that_the_last_owner_left_are_free_at_once() {
    let backend = SqliteBackend::default();
    let store = backend.store(None);
    let terms = Terms { lease_ms: 1_000 * LEASE_MS, attempts_max: ATTEMPTS, age_max_ms: i64::MAX };
    store.work_claim(arrival("a"), terms).await.expect("the store works");
    drop(store);
    let store = backend.store(None);
    let next = held(store.work_claim(arrival("a"), terms).await.expect("the store works"));
    assert!(next.takeover);
    assert_eq!(next.work.attempt, 2, "the run that ended with its host was not counted");
    backend.advance(-LEASE_MS);
    drop(store);
    let store = backend.store(None);
    assert_eq!(held(store.work_claim(arrival("a"), terms).await.expect("the store works")).work.attempt, 3);
    let filter = WorkFilter::all(SPACE, 10);
    assert_eq!(store.work_list(filter).await.expect("the store works").len(), 1);
}
