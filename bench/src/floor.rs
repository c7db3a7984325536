//! The floor: bare SQLite that writes the rows of a unit and nothing else.
//!
//! Owns one writer thread with group commit over a file with the host's settings (write-ahead log, `synchronous=FULL`), and
//! callers that wait until what they gave it is on disk. Keys are random, as hashes are. It looks nothing up, checks nothing
//! and keeps no evidence: no ledger can be faster on SQLite. It fails where SQLite does.

use crate::sample::{Sample, drive};
use crate::unit::{ANSWER_BYTES, EVENT_BYTES, RESULT, ROW_BYTES};
use anyhow::Context as _;
use rusqlite::Connection;
use std::path::Path;
use std::sync::mpsc;
use std::thread;
use std::time::Duration;

/// The most writes in one transaction: the host's.
const BATCH_LIMIT: usize = 256;

/// Bytes of a key.
const KEY_BYTES: usize = 32;

/// The tables, one for each of a unit's rows. A result is where the event is.
const TABLES: &str = "
    CREATE TABLE event (key BLOB PRIMARY KEY, payload BLOB NOT NULL, result BLOB);
    CREATE TABLE decision (key BLOB PRIMARY KEY, answer BLOB NOT NULL);
    CREATE TABLE outbox (key BLOB PRIMARY KEY, payload BLOB NOT NULL);";

/// How many commits a unit waits for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Commits {
    /// One for all of it.
    One,
    /// One for the event, and one for the rest.
    Two,
}

/// What is written in one transaction at least.
#[derive(Clone, Copy)]
enum Part {
    Event,
    Rest,
    Whole,
}

struct Order {
    part: Part,
    key: [u8; KEY_BYTES],
    done: mpsc::SyncSender<()>,
}

/// A writer over a file of its own.
pub(crate) struct Floor {
    orders: Option<mpsc::Sender<Order>>,
    writer: Option<thread::JoinHandle<anyhow::Result<()>>>,
}

impl Floor {
    /// A floor in this folder.
    pub(crate) fn open(dir: &Path) -> anyhow::Result<Self> {
        let connection = Connection::open(dir.join("floor.db")).context("opening the floor's file")?;
        connection
            .execute_batch("PRAGMA page_size = 4096; PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL;")
            .and_then(|()| connection.execute_batch(TABLES))
            .context("making the floor's tables")?;
        let (orders, queue) = mpsc::channel();
        let writer = thread::spawn(move || write(&connection, &queue));
        Ok(Self { orders: Some(orders), writer: Some(writer) })
    }

    /// Let so many callers write units for this long.
    pub(crate) fn drive(&self, callers: usize, length: Duration, commits: Commits) -> anyhow::Result<Sample> {
        drive(callers, length, |_| {
            let orders = self.orders.clone().context("the floor is closed")?;
            let (done, heard) = mpsc::sync_channel(1);
            Ok(move || {
                let key = random_key()?;
                let parts: &[Part] = match commits {
                    Commits::One => &[Part::Whole],
                    Commits::Two => &[Part::Event, Part::Rest],
                };
                for part in parts {
                    let order = Order { part: *part, key, done: done.clone() };
                    orders.send(order).context("the floor's writer has ended")?;
                    heard.recv().context("the floor's writer has ended")?;
                }
                Ok(())
            })
        })
    }
}

impl Drop for Floor {
    fn drop(&mut self) {
        self.orders = None;
        if let Some(Ok(Err(error))) = self.writer.take().map(thread::JoinHandle::join) {
            eprintln!("bench: the floor's writer has failed: {error:#}");
        }
    }
}

fn random_key() -> anyhow::Result<[u8; KEY_BYTES]> {
    let mut key = [0; KEY_BYTES];
    getrandom::fill(&mut key).context("taking a random key")?;
    Ok(key)
}

fn write(connection: &Connection, queue: &mpsc::Receiver<Order>) -> anyhow::Result<()> {
    let mut batch: Vec<Order> = Vec::with_capacity(BATCH_LIMIT);
    while let Ok(first) = queue.recv() {
        batch.push(first);
        connection.prepare_cached("BEGIN IMMEDIATE")?.execute([])?;
        let mut at = 0;
        while let Some(order) = batch.get(at) {
            insert(connection, order)?;
            at += 1;
            if at == batch.len() && batch.len() < BATCH_LIMIT {
                batch.extend(queue.try_recv());
            }
        }
        connection.prepare_cached("COMMIT")?.execute([])?;
        for order in batch.drain(..) {
            // A caller whose time is over has gone away.
            let _ = order.done.send(());
        }
    }
    Ok(())
}

fn insert(connection: &Connection, order: &Order) -> rusqlite::Result<()> {
    let key = &order.key[..];
    let filled = |bytes: usize| vec![b'x'; bytes];
    if matches!(order.part, Part::Event) {
        let event = "INSERT INTO event (key, payload) VALUES (?1, ?2)";
        connection.prepare_cached(event)?.execute((key, filled(EVENT_BYTES)))?;
        return Ok(());
    }
    if matches!(order.part, Part::Whole) {
        let event = "INSERT INTO event (key, payload, result) VALUES (?1, ?2, ?3)";
        connection.prepare_cached(event)?.execute((key, filled(EVENT_BYTES), RESULT.as_bytes()))?;
    } else {
        let result = "UPDATE event SET result = ?2 WHERE key = ?1";
        connection.prepare_cached(result)?.execute((key, RESULT.as_bytes()))?;
    }
    let decision = "INSERT INTO decision (key, answer) VALUES (?1, ?2)";
    connection.prepare_cached(decision)?.execute((key, filled(ANSWER_BYTES)))?;
    let row = "INSERT INTO outbox (key, payload) VALUES (?1, ?2)";
    connection.prepare_cached(row)?.execute((key, filled(ROW_BYTES)))?;
    Ok(())
}
