//! Deliveries to one destination under way: as soon as a request is answered, its place takes the next row.
//!
//! Owns the places, and when the outbox is looked at. A row has its place from its take until its outcome is in the ledger's queue, and the next
//! row is taken behind it, so that both are one commit. Never are more rows taken than there are free places: what is taken and not
//! sent would be in doubt after a crash. Where a take left places free, the outbox is looked at before the next one, since a look
//! takes no transaction. It fails as [`StoreError`], after all that was under way has come to its end: a request that is cut off may
//! have been applied.

use crate::clock::Clock;
use crate::crash_point;
use crate::crash_point::CrashPoint;
use crate::dispatch::send::send;
use crate::dispatch::setup::DestinationSetup;
use crate::identity::key::RowId;
use crate::identity::key::WorkId;
use crate::store::Store;
use crate::store::error::StoreError;
use crate::store::outbox::{RowOutcome, RowSettled, Sending, Take};
use std::collections::HashMap;
use std::future::poll_fn;
use std::pin::pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::task::Poll;
use std::time::Duration;
use tokio::sync::Notify;
use tokio::task::{Id, JoinError, JoinSet};
use tokio_util::sync::CancellationToken;

/// How long the record of an outcome is tried while the ledger is full or busy, in milliseconds.
const RECORD_MAX_MS: u64 = 30_000;

/// The longest wait for a nudge while requests are under way and places are free, in milliseconds, so that a moved clock and a
/// nudge that was missed are noticed.
const LOOK_MAX_MS: u64 = 1_000;

/// The shortest, in milliseconds: what is due and can't be taken is not asked for without end.
const LOOK_MIN_MS: u64 = 5;

/// One delivery attempt that ended.
#[derive(Debug)]
pub struct Attempt {
    /// The row.
    pub row: RowId,
    /// The work it came from.
    pub work: WorkId,
    /// The destination.
    pub destination: String,
    /// Which attempt, from 1.
    pub attempt: u32,
    /// What came of it.
    pub outcome: RowOutcome,
    /// Whether that was recorded, or the row had been taken over.
    pub settled: RowSettled,
    /// How long the request took, with its look-ups.
    pub took: Duration,
}

/// What deliveries go by.
pub(super) struct Flow<'a> {
    pub(super) store: &'a Arc<dyn Store>,
    pub(super) clock: &'a Arc<dyn Clock>,
    pub(super) namespace: &'a str,
    pub(super) destination: &'a Arc<DestinationSetup>,
    /// How long an outcome that could not be recorded waits for the next try.
    pub(super) record_pause: Duration,
    /// No more rows are taken than so many.
    pub(super) rows_max: usize,
    /// No more rows are taken when this is cancelled.
    pub(super) stop: &'a CancellationToken,
}

/// What is under way.
struct UnderWay {
    attempts: JoinSet<Result<Attempt, StoreError>>,
    /// The rows of the attempts that have not come to their end.
    mine: HashMap<Id, RowId>,
    places: Arc<Places>,
    taken: usize,
    /// Whether the last take left places free.
    idle: bool,
}

/// The places that are free.
struct Places {
    free: AtomicUsize,
    freed: Notify,
}

/// A row's place, which is free when this is dropped, also by a panic.
struct Place(Arc<Places>);

impl Drop for Place {
    fn drop(&mut self) {
        self.0.free.fetch_add(1, Ordering::AcqRel);
        self.0.freed.notify_one();
    }
}

impl Flow<'_> {
    /// Send what is due, until nothing is due or under way. `ended` hears of each attempt at its end; after a nudge,
    /// places that are free look for rows again.
    pub(super) async fn run(
        &self,
        nudged: &Notify,
        ended: &mut (dyn FnMut(Attempt) + Send),
    ) -> Result<(), StoreError> {
        let places = usize::try_from(self.destination.concurrency).unwrap_or(usize::MAX);
        let places = Arc::new(Places { free: AtomicUsize::new(places), freed: Notify::new() });
        let mut under_way =
            UnderWay { attempts: JoinSet::new(), mine: HashMap::new(), places, taken: 0, idle: false };
        let mut failed = None;
        loop {
            let mut looks_in = None;
            if failed.is_none() {
                match self.fill(&mut under_way).await {
                    Ok(rest) => looks_in = rest,
                    Err(error) => failed = Some(error),
                }
            }
            tokio::select! {
                biased;
                attempt = under_way.attempts.join_next_with_id() => match attempt {
                    None => return failed.map_or(Ok(()), Err),
                    Some(attempt) => match self.heard(&mut under_way, attempt) {
                        Ok(attempt) => attempt.into_iter().for_each(&mut *ended),
                        Err(error) => failed = failed.or(Some(error)),
                    },
                },
                () = under_way.places.freed.notified(), if failed.is_none() => {}
                () = nudged.notified(), if looks_in.is_some() => {}
                () = tokio::time::sleep(looks_in.unwrap_or_default()), if looks_in.is_some() => {}
            }
        }
    }

    /// Take rows for the places that are free. Where some stay free, how long until it is worth to look again.
    async fn fill(&self, under_way: &mut UnderWay) -> Result<Option<Duration>, StoreError> {
        loop {
            let free = under_way.places.free.load(Ordering::Acquire);
            if free == 0 || under_way.taken >= self.rows_max || self.stop.is_cancelled() {
                return Ok(None);
            }
            if under_way.idle {
                let due = self.store.outbox_next_due(self.namespace, &self.destination.name).await?;
                let left_ms = due.map_or(i64::MAX, |due| due.at_ms.saturating_sub(self.clock.now_ms()));
                if left_ms > 0 {
                    return Ok(Some(rest(left_ms)));
                }
            }
            let rows =
                self.store.outbox_take(self.order(free, under_way.mine.values().copied().collect())?).await?;
            under_way.idle = rows.len() < free;
            if rows.is_empty() {
                return Ok(Some(rest(i64::MAX)));
            }
            crash_point::reach(CrashPoint::AttemptCounted);
            under_way.taken += rows.len();
            for row in rows {
                under_way.places.free.fetch_sub(1, Ordering::AcqRel);
                let place = Place(Arc::clone(&under_way.places));
                let id = row.row.id;
                let task = under_way.attempts.spawn(self.attempt(row, place)).id();
                under_way.mine.insert(task, id);
            }
        }
    }

    /// Send a row, and record what came of it.
    fn attempt(
        &self,
        row: Sending,
        place: Place,
    ) -> impl Future<Output = Result<Attempt, StoreError>> + Send + 'static {
        let (store, clock) = (Arc::clone(self.store), Arc::clone(self.clock));
        let (destination, pause) = (Arc::clone(self.destination), self.record_pause);
        async move {
            let begun = tokio::time::Instant::now();
            let outcome = send(&*clock, &destination, &row).await;
            let took = begun.elapsed();
            let settled = {
                let mut recording = pin!(record(&*store, &destination, &row, &outcome, pause));
                let recorded = poll_fn(|context| Poll::Ready(recording.as_mut().poll(context))).await;
                // It is in the ledger's queue, and whatever is asked of the ledger next comes after it.
                drop(place);
                match recorded {
                    Poll::Ready(settled) => settled?,
                    Poll::Pending => recording.await?,
                }
            };
            Ok(Attempt {
                row: row.row.id,
                work: row.work_id,
                destination: destination.name.clone(),
                attempt: row.attempt,
                outcome,
                settled,
                took,
            })
        }
    }

    /// The attempt, unless its connector has panicked: then its row is left to the lease, as that of a host that died.
    fn heard(
        &self,
        under_way: &mut UnderWay,
        attempt: Result<(Id, Result<Attempt, StoreError>), JoinError>,
    ) -> Result<Option<Attempt>, StoreError> {
        match attempt {
            Ok((task, attempt)) => {
                under_way.mine.remove(&task);
                attempt.map(Some)
            }
            Err(panic) => {
                under_way.mine.remove(&panic.id());
                tracing::error!(%panic, destination = self.destination.name, "a delivery panicked");
                Ok(None)
            }
        }
    }

    fn order(&self, free: usize, mine: Vec<RowId>) -> Result<Take, StoreError> {
        let destination = self.destination;
        let envelope = serde_json::to_string(&destination.frozen()).map_err(|error| StoreError::Corrupt {
            operation: "freezing a destination's settings",
            what: error.to_string(),
        })?;
        // Where a look-up has to wait until the receiver has settled, so does the takeover of a lost sender's row.
        let patient = destination.envelope.look_up.is_some();
        let settling_ms = if patient { destination.settling_ms } else { 0 };
        let lease_ms = destination.lease_ms.saturating_add(settling_ms);
        Ok(Take {
            namespace: self.namespace.to_owned(),
            destination: destination.name.clone(),
            envelope,
            lease_ms: i64::try_from(lease_ms).unwrap_or(i64::MAX),
            patient,
            limit: u32::try_from(free).unwrap_or(u32::MAX),
            mine,
            rate: destination.rate,
            breaker: destination.breaker,
        })
    }
}

fn rest(left_ms: i64) -> Duration {
    Duration::from_millis(u64::try_from(left_ms).unwrap_or(0).clamp(LOOK_MIN_MS, LOOK_MAX_MS))
}

/// Record what came of an attempt. A full or busy ledger is asked again while the lease lasts: a receipt that is not
/// recorded would be another request.
async fn record(
    store: &dyn Store,
    destination: &DestinationSetup,
    row: &Sending,
    outcome: &RowOutcome,
    pause: Duration,
) -> Result<RowSettled, StoreError> {
    let until = tokio::time::Instant::now() + Duration::from_millis(destination.lease_ms.min(RECORD_MAX_MS));
    let settled = loop {
        match store.outbox_settle(row.row.clone(), row.token, outcome.clone()).await {
            Err(error) if error.is_transient() && tokio::time::Instant::now() < until => {
                tokio::time::sleep(pause).await;
            }
            settled => break settled?,
        }
    };
    crash_point::reach(CrashPoint::ReceiptRecorded);
    Ok(settled)
}
