//! Two at once ask once.
//!
//! Owns [`SingleFlight`]: a key that is already being worked on gets no second future, and everyone who waits
//! gets a clone of the one result. The future runs as a task of its own and belongs to the host: a caller
//! that is cancelled loses its place, not the answer that was paid for. It remembers nothing: the entry goes
//! when the future ends, so the future itself must make its result durable before it returns, and a caller
//! looks there first. It holds one entry for each running future and so is bounded by what its callers start.
//!
//! A future that panics or whose runtime stops becomes a [`FlightError`] for all who wait, and the next
//! caller starts afresh.

use std::collections::HashMap;
use std::future::Future;
use std::hash::Hash;
use std::sync::Arc;
use std::sync::Mutex;
use std::sync::MutexGuard;
use std::sync::PoisonError;

use thiserror::Error;
use tokio::sync::watch;

/// Why a shared future gave no result.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
pub enum FlightError {
    /// The future panicked; that is a fault of this host, and asking again may meet it again.
    #[error("running a shared call: it panicked ({what}); please report it")]
    Panicked {
        /// The panic's message, where it has one.
        what: String,
    },
    /// The host is stopping and dropped the future; nobody knows how far it came.
    #[error("running a shared call: the host is stopping and dropped it; ask again after the restart")]
    Dropped,
}

type Outcome<V> = Option<Result<V, FlightError>>;
type Flights<K, V> = Mutex<HashMap<K, watch::Receiver<Outcome<V>>>>;

/// Runs at most one future for a key at a time.
///
/// ```
/// # #[tokio::main(flavor = "current_thread")] async fn main() {
/// use onceward::models::single_flight::SingleFlight;
/// let flights = SingleFlight::new();
/// let (one, two) = tokio::join!(flights.run("key", || async { 1 }), flights.run("key", || async { 2 }));
/// assert_eq!((one, two), (Ok(1), Ok(1)));
/// # }
/// ```
pub struct SingleFlight<K, V> {
    flights: Arc<Flights<K, V>>,
}

impl<K, V> Default for SingleFlight<K, V> {
    fn default() -> Self {
        SingleFlight { flights: Arc::default() }
    }
}

impl<K, V> SingleFlight<K, V>
where
    K: Clone + Eq + Hash + Send + 'static,
    V: Clone + Send + Sync + 'static,
{
    /// With nothing running.
    #[must_use]
    pub fn new() -> SingleFlight<K, V> {
        SingleFlight::default()
    }

    /// Joins the future that runs for `key`, or starts the one that `make` gives. Must be called on a tokio
    /// runtime.
    ///
    /// # Errors
    /// [`FlightError`], where the future ended without a result. An error of the call itself belongs into
    /// `V`.
    pub async fn run<F, Fut>(&self, key: K, make: F) -> Result<V, FlightError>
    where
        F: FnOnce() -> Fut + Send + 'static,
        Fut: Future<Output = V> + Send + 'static,
    {
        let mut outcome = self.join_or_start(key, make);
        match outcome.wait_for(Option::is_some).await {
            Ok(outcome) => outcome.clone().unwrap_or(Err(FlightError::Dropped)),
            Err(_dropped) => Err(FlightError::Dropped),
        }
    }

    fn join_or_start<F, Fut>(&self, key: K, make: F) -> watch::Receiver<Outcome<V>>
    where
        F: FnOnce() -> Fut + Send + 'static,
        Fut: Future<Output = V> + Send + 'static,
    {
        let mut flights = lock(&self.flights);
        if let Some(outcome) = flights.get(&key) {
            return outcome.clone();
        }
        let (sender, receiver) = watch::channel(None);
        flights.insert(key.clone(), receiver.clone());
        let entry = Entry { flights: self.flights.clone(), key };
        // Two tasks: the inner one may panic, the outer one lives to tell. If the runtime drops the outer
        // one, `entry` still goes.
        tokio::spawn(async move {
            let ended = tokio::spawn(async move { make().await }).await;
            drop(entry);
            let _nobody_waits = sender.send(Some(ended.map_err(flight_error)));
        });
        receiver
    }
}

/// A running future's place in the table, given up when it is dropped.
struct Entry<K: Eq + Hash, V> {
    flights: Arc<Flights<K, V>>,
    key: K,
}

impl<K: Eq + Hash, V> Drop for Entry<K, V> {
    fn drop(&mut self) {
        lock(&self.flights).remove(&self.key);
    }
}

/// Nothing that can panic runs under the lock, so a poisoned one is whole all the same.
fn lock<K, V>(flights: &Flights<K, V>) -> MutexGuard<'_, HashMap<K, watch::Receiver<Outcome<V>>>> {
    flights.lock().unwrap_or_else(PoisonError::into_inner)
}

fn flight_error(error: tokio::task::JoinError) -> FlightError {
    let Ok(panic) = error.try_into_panic() else { return FlightError::Dropped };
    let text = panic.downcast_ref::<&str>().map(|text| (*text).to_owned());
    let what =
        text.or_else(|| panic.downcast_ref::<String>().cloned()).unwrap_or_else(|| "no message".to_owned());
    FlightError::Panicked { what }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::AtomicUsize;
    use std::sync::atomic::Ordering;
    use tokio::sync::Semaphore;

    /// A call that counts itself and ends when it is let go.
    #[derive(Clone)]
    struct Call {
        started: Arc<Semaphore>,
        gate: Arc<Semaphore>,
        count: Arc<AtomicUsize>,
    }

    impl Call {
        fn new() -> Call {
            Call {
                started: Arc::new(Semaphore::new(0)),
                gate: Arc::new(Semaphore::new(0)),
                count: Arc::default(),
            }
        }

        async fn run(self) -> usize {
            let number = self.count.fetch_add(1, Ordering::SeqCst) + 1;
            self.started.add_permits(1);
            self.gate.acquire().await.unwrap().forget();
            number
        }
    }

    type Waiter = tokio::task::JoinHandle<Result<usize, FlightError>>;

    fn caller(flights: &Arc<SingleFlight<&'static str, usize>>, key: &'static str, call: &Call) -> Waiter {
        let (flights, call) = (flights.clone(), call.clone());
        tokio::spawn(async move { flights.run(key, move || call.run()).await })
    }

    #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
    async fn s10_twenty_callers_at_once_make_one_call() {
        let (flights, call) = (Arc::new(SingleFlight::new()), Call::new());
        let first = caller(&flights, "a", &call);
        call.started.acquire().await.unwrap().forget();
        // These start while the call is known to run, and are all polled before it may end.
        let polled = Arc::new(Semaphore::new(0));
        let others: Vec<Waiter> = (0..19)
            .map(|_| {
                let (flights, call, polled) = (flights.clone(), call.clone(), polled.clone());
                tokio::spawn(async move {
                    let mut waiting = flights.join_or_start("a", move || call.run());
                    polled.add_permits(1);
                    waiting.wait_for(Option::is_some).await.unwrap().clone().unwrap()
                })
            })
            .collect();
        polled.acquire_many(19).await.unwrap().forget();
        call.gate.add_permits(1);
        for waiter in others.into_iter().chain([first]) {
            assert_eq!(waiter.await.unwrap(), Ok(1));
        }
        assert_eq!((call.count.load(Ordering::SeqCst), lock(&flights.flights).len()), (1, 0));
    }

    #[tokio::test]
    async fn a_cancelled_first_caller_does_not_lose_the_paid_answer() {
        let (flights, call) = (Arc::new(SingleFlight::new()), Call::new());
        let first = caller(&flights, "a", &call);
        call.started.acquire().await.unwrap().forget();
        first.abort();
        assert!(first.await.unwrap_err().is_cancelled());
        let second = caller(&flights, "a", &call);
        call.gate.add_permits(1);
        assert_eq!(second.await.unwrap(), Ok(1));
        assert_eq!(call.count.load(Ordering::SeqCst), 1);
    }

    #[tokio::test]
    async fn another_key_and_a_later_caller_make_a_call_of_their_own() {
        let (flights, call) = (Arc::new(SingleFlight::new()), Call::new());
        call.gate.add_permits(3);
        let mut numbers =
            vec![caller(&flights, "a", &call).await.unwrap(), caller(&flights, "b", &call).await.unwrap()];
        numbers.push(caller(&flights, "a", &call).await.unwrap());
        assert_eq!(numbers, [Ok(1), Ok(2), Ok(3)]);
    }

    #[tokio::test]
    async fn a_panic_is_an_error_and_leaves_the_key_free() {
        let flights = SingleFlight::new();
        let failed: Result<u8, _> = flights.run("a", || async { panic!("out of {}", "luck") }).await;
        assert_eq!(failed, Err(FlightError::Panicked { what: "out of luck".into() }));
        assert_eq!(flights.run("a", || async { 7 }).await, Ok(7));
    }

    #[test]
    fn a_runtime_that_stops_leaves_the_key_free() {
        let runtime = || tokio::runtime::Builder::new_current_thread().build().unwrap();
        let (flights, call) = (SingleFlight::<_, usize>::new(), Call::new());
        let stopped = runtime();
        let mut waiting = stopped.block_on(async {
            let waiting = flights.join_or_start("a", {
                let call = call.clone();
                move || call.run()
            });
            call.started.acquire().await.unwrap().forget();
            waiting
        });
        drop(stopped);
        assert!(runtime().block_on(waiting.wait_for(Option::is_some)).is_err());
        assert_eq!(runtime().block_on(flights.run("a", || async { 9 })), Ok(9));
    }
}
