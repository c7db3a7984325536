//! The writer: one thread, many callers in one transaction, answers after the commit.
//!
//! A batch is whatever waits when the writer is free. Each command runs in a savepoint, so that a refused one takes
//! nothing along. Where the batch as a whole fails (no space), its commands run again one by one, so that the one
//! which can't be stored fails alone. A command may be answered before the commit (a new claim, a repeat of what has ended long
//! ago); it then carries a [`Durable`], and it is never run again. While all commands of a transaction are answered and nobody
//! waits for it, it stays open for a moment: what follows (a quick run's settle, the next repeat) then shares its commit. What can't run in a transaction (rewriting the file) runs between two of them. A
//! write that the disk fails ends the writer: whoever waits, and whoever
//! comes later, gets [`StoreError::Stopped`].
//!
//! The ledger of simulated hosts has a writer without a thread: each caller runs its own command, in a transaction of its own.

use crate::clock::Clock;
use crate::store::durable::{Commit, Durable, Hurry};
use crate::store::error::StoreError;
use crate::store::sqlite::scrub;
use crate::store::sqlite::sequence::Sequence;
use crate::store::sqlite::tx::{Tx, failed};
use crate::store::sqlite::wal::Wal;
use crate::store::sqlite::witness::Witness;
use rusqlite::Connection;
use std::cell::Cell;
use std::ops::ControlFlow;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};
use tokio::sync::{mpsc, oneshot, watch};

/// The most commands in one transaction. More would make the first caller wait for the last.
const BATCH_LIMIT: usize = 256;

/// Commands that may wait for the writer; further callers wait their turn.
const QUEUE_LIMIT: usize = 1_024;

/// How long a transaction stays open that nobody waits for, in milliseconds. A run that ends the host later than that has its
/// claim on disk, and so its attempt counted.
const LINGER_MS: u64 = 2;

/// What the writer does besides its callers' commands, for errors.
const OPERATION: &str = "committing a batch";

/// The writer's door.
pub(super) struct Writer {
    way: Way,
    commits: Arc<AtomicU64>,
    open: Open,
    linger_ms: Arc<AtomicU64>,
}

/// The transaction that has answered a command and is not on disk yet, where there is one.
type Open = Arc<Mutex<Option<Durable>>>;

/// How a command gets to the connection.
enum Way {
    /// The store only reads.
    None,
    /// To a thread.
    Thread(Thread),
    /// In the caller's thread. None where a write has failed for good.
    Here(Box<Mutex<Option<Writing>>>),
}

struct Thread {
    queue: Option<mpsc::Sender<Order>>,
    thread: Option<std::thread::JoinHandle<()>>,
}

impl Drop for Thread {
    fn drop(&mut self) {
        // The thread ends when the queue does, after the commands that wait in it. Whoever opens the file
        // next must find it closed.
        self.queue = None;
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

impl Writer {
    /// A writer with a thread.
    pub(super) fn start(connection: Connection, wal: Wal, witness: Witness, clock: Arc<dyn Clock>) -> Self {
        let (queue, commands) = mpsc::channel(QUEUE_LIMIT);
        let writing = Writing::new(connection, wal, Some(witness), clock);
        let door = Self::of(&writing);
        let thread = std::thread::Builder::new().name("ledger".to_owned());
        let thread = thread.spawn(move || writing.run(commands)).expect("a thread can be started");
        Self { way: Way::Thread(Thread { queue: Some(queue), thread: Some(thread) }), ..door }
    }

    /// A writer without a thread.
    pub(super) fn here(connection: Connection, wal: Wal, clock: Arc<dyn Clock>) -> Self {
        let writing = Writing::new(connection, wal, None, clock);
        let door = Self::of(&writing);
        Self { way: Way::Here(Box::new(Mutex::new(Some(writing)))), ..door }
    }

    /// For a store that only reads.
    pub(super) fn absent() -> Self {
        Self { way: Way::None, commits: Arc::default(), open: Open::default(), linger_ms: Arc::default() }
    }

    /// What the door shares with what is behind it.
    fn of(writing: &Writing) -> Self {
        Self {
            way: Way::None,
            commits: Arc::clone(&writing.commits),
            open: Arc::clone(&writing.open),
            linger_ms: Arc::clone(&writing.linger_ms),
        }
    }

    /// Keep a transaction open for so long that nobody waits for.
    pub(super) fn linger_ms(&self, linger_ms: u64) {
        self.linger_ms.store(linger_ms, Ordering::Relaxed);
    }

    /// The connection of a writer that has no thread, where no write has failed for good.
    pub(super) fn into_connection(self) -> Option<Connection> {
        match self.way {
            Way::Here(writing) => {
                let writing = (*writing).into_inner().unwrap_or_else(PoisonError::into_inner);
                writing.map(|writing| writing.connection)
            }
            Way::None | Way::Thread(_) => None,
        }
    }

    pub(super) fn commits(&self) -> u64 {
        self.commits.load(Ordering::Relaxed)
    }

    /// Run a command and answer after its commit.
    pub(super) async fn call<T, F>(&self, operation: &'static str, run: F) -> Result<T, StoreError>
    where
        T: Send + 'static,
        F: FnMut(&Tx<'_>) -> Result<T, StoreError> + Send + 'static,
    {
        self.send(operation, run, false).await
    }

    /// Run a command and answer before its commit; the answer carries the transaction's [`Durable`], where anybody has to wait
    /// for it.
    pub(super) async fn call_early<T, F>(&self, operation: &'static str, run: F) -> Result<T, StoreError>
    where
        T: Send + 'static,
        F: FnMut(&Tx<'_>) -> Result<T, StoreError> + Send + 'static,
    {
        self.send(operation, run, true).await
    }

    /// Have the thread run a command for which nobody waits, and wait for no place in its queue; false where there is none.
    pub(super) fn post<F>(&self, operation: &'static str, run: F) -> bool
    where
        F: FnMut(&Tx<'_>) -> Result<(), StoreError> + Send + 'static,
    {
        let Way::Thread(Thread { queue: Some(queue), thread: Some(thread) }) = &self.way else {
            return false;
        };
        let call = Call { operation, run, early: true, reply: Some(oneshot::channel().0), outcome: None };
        let posted = queue.try_send(Order::Run(Box::new(call))).is_ok();
        thread.thread().unpark();
        posted
    }

    /// Wait until what was answered early is on disk, so that whoever reads next sees it.
    pub(super) async fn caught_up(&self) {
        let open = self.open.lock().unwrap_or_else(PoisonError::into_inner).clone();
        if let Some(open) = open {
            // Where it failed there is nothing to see; whoever holds its claim hears why.
            let _ = open.wait().await;
        }
    }

    /// Wait until the thread has ended, which it does only after a failure. Where there is none, whoever writes hears of it, and
    /// nobody else.
    pub(super) async fn ended(&self) {
        match &self.way {
            Way::Thread(Thread { queue: Some(queue), .. }) => queue.closed().await,
            Way::Thread(Thread { queue: None, .. }) | Way::None | Way::Here(_) => {
                std::future::pending().await
            }
        }
    }

    /// Rewrite the file without what was deleted from it. False where something still reads an older state.
    pub(super) async fn scrub(&self) -> Result<bool, StoreError> {
        let (reply, answer) = oneshot::channel();
        self.order(scrub::OPERATION, Order::Scrub(reply)).await?;
        answer.await.map_err(|_| StoreError::Stopped)?
    }

    async fn send<T, F>(&self, operation: &'static str, run: F, early: bool) -> Result<T, StoreError>
    where
        T: Send + 'static,
        F: FnMut(&Tx<'_>) -> Result<T, StoreError> + Send + 'static,
    {
        let (reply, answer) = oneshot::channel();
        let call = Call { operation, run, early, reply: Some(reply), outcome: None };
        self.order(operation, Order::Run(Box::new(call))).await?;
        answer.await.map_err(|_| StoreError::Stopped)?
    }

    async fn order(&self, operation: &'static str, order: Order) -> Result<(), StoreError> {
        match &self.way {
            Way::None => Err(StoreError::ReadOnly { operation }),
            Way::Thread(Thread { queue, thread }) => {
                let queue = queue.as_ref().ok_or(StoreError::Stopped)?;
                queue.send(order).await.map_err(|_| StoreError::Stopped)?;
                // It may be waiting for more in a transaction that it keeps open.
                if let Some(thread) = thread {
                    thread.thread().unpark();
                }
                Ok(())
            }
            Way::Here(writing) => {
                let mut writing = writing.lock().unwrap_or_else(PoisonError::into_inner);
                let done = writing.as_ref().ok_or(StoreError::Stopped)?.carry_out(order, None);
                if done.is_break() {
                    *writing = None;
                }
                Ok(())
            }
        }
    }
}

/// What the thread is asked for.
enum Order {
    /// Run a command in a transaction.
    Run(Box<dyn Command>),
    /// Rewrite the file, between two transactions.
    Scrub(oneshot::Sender<Result<bool, StoreError>>),
}

/// A command as the thread sees it.
trait Command: Send {
    /// Run in a savepoint. An error means that the whole transaction is gone.
    fn execute(&mut self, transaction: &Tx<'_>) -> Result<(), StoreError>;
    /// Whether it has been answered.
    fn answered(&self) -> bool;
    /// Answer, after the commit or its failure.
    fn finish(&mut self, commit: &Result<(), StoreError>);
}

struct Call<T, F> {
    operation: &'static str,
    run: F,
    early: bool,
    reply: Option<oneshot::Sender<Result<T, StoreError>>>,
    outcome: Option<Result<T, StoreError>>,
}

impl<T, F> Command for Call<T, F>
where
    T: Send,
    F: FnMut(&Tx<'_>) -> Result<T, StoreError> + Send,
{
    fn execute(&mut self, transaction: &Tx<'_>) -> Result<(), StoreError> {
        let tx = Tx { operation: self.operation, durable: transaction.durable.clone(), ..*transaction };
        tx.execute("SAVEPOINT command", [])?;
        let outcome = (self.run)(&tx);
        if tx.connection.is_autocommit() {
            // SQLite has rolled everything back by itself, as it does when space runs out.
            return Err(outcome.err().unwrap_or(StoreError::Full { operation: self.operation }));
        }
        if outcome.is_err() {
            tx.execute("ROLLBACK TO command", [])?;
        }
        tx.execute("RELEASE command", [])?;
        match self.reply.take_if(|_| self.early && outcome.is_ok()) {
            Some(reply) => {
                // Whoever is answered may look at once.
                transaction.will_be_seen();
                drop(reply.send(outcome));
            }
            None => self.outcome = Some(outcome),
        }
        Ok(())
    }

    fn answered(&self) -> bool {
        self.reply.is_none()
    }

    fn finish(&mut self, commit: &Result<(), StoreError>) {
        let Some(reply) = self.reply.take() else { return };
        let outcome = match (commit, self.outcome.take()) {
            (Ok(()), Some(outcome)) => outcome,
            (Ok(()), None) => Err(StoreError::Stopped),
            (Err(error), _) => Err(error.clone()),
        };
        // A caller that has gone away needs no answer; what was committed stays.
        let _ = reply.send(outcome);
    }
}

/// What writes: the connection, and what holds between its transactions.
struct Writing {
    connection: Connection,
    wal: Wal,
    /// None where the ledger ends with its process.
    witness: Option<Witness>,
    clock: Arc<dyn Clock>,
    commits: Arc<AtomicU64>,
    open: Open,
    linger_ms: Arc<AtomicU64>,
    last_token: Cell<i64>,
    /// The last token that the witness was told of.
    witnessed: Cell<i64>,
}

/// The queue, with the order that ended the last batch.
struct Orders {
    queue: mpsc::Receiver<Order>,
    next: Option<Order>,
}

impl Orders {
    /// The next order, when it comes; none where nobody can give one any more.
    fn wait(&mut self) -> Option<Order> {
        self.next.take().or_else(|| self.queue.blocking_recv())
    }

    /// The next order, where it is a command and there already.
    fn command(&mut self) -> Option<Box<dyn Command>> {
        if self.next.is_some() {
            return None;
        }
        match self.queue.try_recv().ok()? {
            Order::Run(command) => Some(command),
            scrub @ Order::Scrub(_) => {
                self.next = Some(scrub);
                None
            }
        }
    }
}

impl Writing {
    fn new(connection: Connection, wal: Wal, witness: Option<Witness>, clock: Arc<dyn Clock>) -> Self {
        let (last_token, witnessed) = (Cell::new(0), Cell::new(0));
        let (commits, open, linger_ms) = (Arc::default(), Open::default(), Arc::new(LINGER_MS.into()));
        Self { connection, wal, witness, clock, commits, open, linger_ms, last_token, witnessed }
    }

    fn run(self, orders: mpsc::Receiver<Order>) {
        let mut orders = Orders { queue: orders, next: None };
        while let Some(order) = orders.wait() {
            if self.carry_out(order, Some(&mut orders)).is_break() {
                return;
            }
        }
    }

    /// Carry an order out, with the commands that arrive meanwhile; whether the writer can go on.
    fn carry_out(&self, order: Order, arriving: Option<&mut Orders>) -> ControlFlow<()> {
        match order {
            Order::Run(command) => self.batch(vec![command], arriving),
            Order::Scrub(reply) => {
                let scrubbed = scrub::scrub(&self.connection);
                let end = scrubbed.as_ref().map_or_else(end_of, |_| ControlFlow::Continue(()));
                let _ = reply.send(scrubbed);
                end
            }
        }
    }

    fn batch(&self, mut batch: Vec<Box<dyn Command>>, arriving: Option<&mut Orders>) -> ControlFlow<()> {
        let committed = self.commit(&mut batch, arriving);
        if let Err(error) = &committed
            && batch.len() > 1
            && !is_fatal(error)
        {
            // Only the one at fault fails.
            return batch
                .into_iter()
                .filter(|command| !command.answered())
                .try_for_each(|command| self.batch(vec![command], None));
        }
        for command in &mut batch {
            command.finish(&committed);
        }
        committed.as_ref().map_or_else(end_of, |()| ControlFlow::Continue(()))
    }

    /// One transaction: the commands in the batch, and those that arrive while it runs.
    fn commit(
        &self,
        batch: &mut Vec<Box<dyn Command>>,
        arriving: Option<&mut Orders>,
    ) -> Result<(), StoreError> {
        let (commit, follow) = watch::channel(Commit::Pending);
        let hurry = Hurry::here();
        let result = self.transact(batch, arriving, Durable::following(follow, Arc::clone(&hurry)), &hurry);
        *self.open.lock().unwrap_or_else(PoisonError::into_inner) = None;
        match &result {
            Ok(()) => {
                self.commits.fetch_add(1, Ordering::Relaxed);
                self.bear_witness();
                commit.send_replace(Commit::Done);
            }
            Err(error) => {
                if !self.connection.is_autocommit() {
                    // The transaction must not stay open; where even this fails, the next BEGIN says so.
                    let _ = self.connection.execute_batch("ROLLBACK");
                }
                commit.send_replace(Commit::Failed(error.clone()));
            }
        }
        result
    }

    fn transact(
        &self,
        batch: &mut Vec<Box<dyn Command>>,
        arriving: Option<&mut Orders>,
        durable: Durable,
        hurry: &Hurry,
    ) -> Result<(), StoreError> {
        let batch_error = |source| failed(OPERATION, source);
        self.wal.admit(&self.connection)?;
        self.connection
            .prepare_cached("BEGIN IMMEDIATE")
            .and_then(|mut s| s.execute([]))
            .map_err(batch_error)?;
        let before = Sequence::find(&self.connection)?;
        self.last_token.set(self.last_token.get().max(before.token));
        // The store's time never goes back, also where the clock does.
        let began_ms = before.now_ms.max(self.clock.now_ms());
        let (connection, last_token) = (&self.connection, &self.last_token);
        let open = &*self.open;
        let mut tx = Tx { connection, now_ms: began_ms, operation: OPERATION, last_token, durable, open };
        for command in batch.iter_mut() {
            command.execute(&tx)?;
        }
        if let Some(arriving) = arriving {
            let mut lingering = Lingering::at_most(self.linger_ms.load(Ordering::Relaxed));
            while batch.len() < BATCH_LIMIT {
                let Some(mut command) = arriving.command() else {
                    let nobody_waits = arriving.next.is_none() && batch.iter().all(|c| c.answered());
                    if nobody_waits && lingering.goes_on(hurry) {
                        continue;
                    }
                    break;
                };
                // It came after the batch began, and so did its time.
                tx.now_ms = tx.now_ms.max(self.clock.now_ms());
                let executed = command.execute(&tx);
                batch.push(command);
                executed?;
            }
        }
        let reached = (last_token.get(), tx.now_ms);
        tx.execute(include_str!("queries/sequence_advance.sql"), reached)?;
        self.connection.prepare_cached("COMMIT").and_then(|mut s| s.execute([])).map_err(batch_error)?;
        Ok(())
    }

    /// Write beside the ledger how far it has come: each commit writes the last token that was given out before it.
    fn bear_witness(&self) {
        let Some(witness) = &self.witness else { return };
        let token = self.last_token.get();
        if self.witnessed.replace(token) != token {
            witness.raise(token);
        }
    }
}

/// How long a transaction has been kept open for more.
struct Lingering {
    most: Duration,
    since: Option<Instant>,
}

impl Lingering {
    const fn at_most(ms: u64) -> Self {
        Self { most: Duration::from_millis(ms), since: None }
    }

    /// Wait a while for more; false where it has been long enough, or somebody waits for the commit.
    fn goes_on(&mut self, hurry: &Hurry) -> bool {
        let left = self.most.saturating_sub(self.since.get_or_insert_with(Instant::now).elapsed());
        if left.is_zero() || hurry.is_wanted() {
            return false;
        }
        std::thread::park_timeout(left);
        true
    }
}

/// What an error means for the writer.
fn end_of(error: &StoreError) -> ControlFlow<()> {
    if !is_fatal(error) {
        return ControlFlow::Continue(());
    }
    tracing::error!(%error, "the ledger's writer stops");
    ControlFlow::Break(())
}

/// Whether nothing may be acknowledged any more.
const fn is_fatal(error: &StoreError) -> bool {
    matches!(error, StoreError::Disk { .. })
}
