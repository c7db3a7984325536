//! The receiver's durable store: what was written, and every request that ever came.
//!
//! Owns one SQLite file (WAL, `synchronous=FULL`) and its only writer. A deal and the verdict of
//! the request that made it are one commit, so the two never disagree, whenever the process is
//! killed. It refuses a second receiver on the same directory. Every failure is returned; nothing
//! is answered to a client that is not on disk. Reading it back is [`super::evidence`]'s.

use std::fs::File;
use std::fs::TryLockError;
use std::path::Path;
use std::path::PathBuf;
use std::sync::Mutex;
use std::sync::MutexGuard;
use std::sync::PoisonError;
use std::sync::atomic::AtomicI64;
use std::sync::atomic::Ordering;

use anyhow::Context;
use anyhow::bail;
use rusqlite::Connection;
use rusqlite::OptionalExtension;
use rusqlite::Transaction;
use rusqlite::TransactionBehavior;
use rusqlite::params;
use sha2::Digest;
use sha2::Sha256;

/// How long a writer or a reader waits for the other's lock. They hold it for one commit, so this
/// only guards against a machine that stands still.
const BUSY_TIMEOUT_MS: u64 = 10_000;

const SCHEMA: &str = "
CREATE TABLE IF NOT EXISTS deal (
    id              TEXT    NOT NULL PRIMARY KEY,
    kind            TEXT    NOT NULL,
    number          INTEGER NOT NULL,
    idempotency_key TEXT    UNIQUE,
    value           TEXT,
    body            BLOB    NOT NULL,
    receipt         BLOB    NOT NULL,
    created         INTEGER NOT NULL,
    UNIQUE (kind, number),
    UNIQUE (kind, value)
) STRICT;
CREATE TABLE IF NOT EXISTS request (
    seq       INTEGER NOT NULL PRIMARY KEY,
    at        INTEGER NOT NULL,
    key       TEXT,
    method    TEXT    NOT NULL,
    path      TEXT    NOT NULL,
    body_hash BLOB    CHECK (length(body_hash) = 32),
    verdict   TEXT    NOT NULL CHECK (verdict IN
        ('received', 'created', 'replaced', 'replayed', 'conflict', 'in-progress', 'refused', 'limited',
         'read'))
) STRICT;
";

/// SQLite's own clock, in Unix milliseconds.
pub(super) const NOW_MS: &str = "CAST(unixepoch('subsec') * 1000 AS INTEGER)";

/// What became of a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Verdict {
    /// It came, and nothing has been decided: it is in work, or the receiver died.
    Received,
    /// It wrote a new row.
    Created,
    /// It gave a row another body.
    Replaced,
    /// It was an exact resend of one that had written.
    Replayed,
    /// Its key belongs to other content.
    Conflict,
    /// Its key is in work.
    InProgress,
    /// It wrote nothing, for any other reason.
    Refused,
    /// It came when the second was full.
    Limited,
    /// It only asked.
    Read,
}

impl Verdict {
    fn as_str(self) -> &'static str {
        match self {
            Self::Received => "received",
            Self::Created => "created",
            Self::Replaced => "replaced",
            Self::Replayed => "replayed",
            Self::Conflict => "conflict",
            Self::InProgress => "in-progress",
            Self::Refused => "refused",
            Self::Limited => "limited",
            Self::Read => "read",
        }
    }
}

/// The head of a request, as it is logged.
#[derive(Clone, Debug)]
pub(super) struct Head {
    pub(super) seq: i64,
    pub(super) key: Option<String>,
    pub(super) method: String,
    pub(super) path: String,
}

/// What tells the row of a write from all others.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Identity {
    /// A key, which stands for one body.
    Key(String),
    /// A value that one row of the kind has, with the body that came last.
    Value(String),
    /// Nothing: every write is a new row.
    Nothing,
}

/// What the store did with a write.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Written {
    /// A new row, with the body of its receipt.
    Created(Vec<u8>),
    /// The row was there and has this body now; the body of its first receipt.
    Replaced(Vec<u8>),
    /// The row was there, with the same bytes; the body of its first receipt.
    Replayed(Vec<u8>),
    /// The key is taken by another kind or other bytes. Nothing was written.
    Conflict,
}

/// The one writer.
pub(super) struct Store {
    connection: Mutex<Connection>,
    next_seq: AtomicI64,
    /// Locked for as long as the store lives. The kernel unlocks it when the process dies.
    lock_file: File,
}

/// The database's place in a receiver's directory.
pub(super) fn database(dir: &Path) -> PathBuf {
    dir.join("receiver.sqlite")
}

/// Opens the file, as the writer or as a reader beside it, and makes the tables if there are none.
pub(super) fn connect(dir: &Path) -> anyhow::Result<Connection> {
    let path = database(dir);
    let open = || -> rusqlite::Result<Connection> {
        let connection = Connection::open(&path)?;
        connection.busy_timeout(std::time::Duration::from_millis(BUSY_TIMEOUT_MS))?;
        connection.pragma_update(None, "journal_mode", "WAL")?;
        connection.pragma_update(None, "synchronous", "FULL")?;
        connection.execute_batch(SCHEMA)?;
        Ok(connection)
    };
    open().with_context(|| format!("could not open the receiver's store {}", path.display()))
}

impl Store {
    /// Opens the store of this directory, which is made if need be.
    pub(super) fn open(dir: &Path) -> anyhow::Result<Self> {
        std::fs::create_dir_all(dir)
            .with_context(|| format!("could not make the directory {}", dir.display()))?;
        let lock_path = dir.join("receiver.lock");
        let lock = File::create(&lock_path)
            .with_context(|| format!("could not make the lock file {}", lock_path.display()))?;
        match lock.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => {
                bail!("another receiver runs on {}; stop it, or choose another directory", dir.display())
            }
            Err(TryLockError::Error(error)) => {
                return Err(error).with_context(|| format!("could not lock {}", dir.display()));
            }
        }
        let connection = connect(dir)?;
        let last: i64 = connection
            .query_row("SELECT coalesce(max(seq), 0) FROM request", [], |row| row.get(0))
            .context("could not read the number of the last request")?;
        Ok(Self { connection: Mutex::new(connection), next_seq: AtomicI64::new(last + 1), lock_file: lock })
    }

    /// A number for a request that has just come.
    pub(super) fn next_seq(&self) -> i64 {
        self.next_seq.fetch_add(1, Ordering::Relaxed)
    }

    /// Logs that a request came. `body` is `None` where it was not read.
    pub(super) fn arrive(&self, head: &Head, body: Option<&[u8]>, verdict: Verdict) -> anyhow::Result<()> {
        let sql = format!(
            "INSERT INTO request (seq, at, key, method, path, body_hash, verdict) \
             VALUES (?1, {NOW_MS}, ?2, ?3, ?4, ?5, ?6)"
        );
        let hash: Option<[u8; 32]> = body.map(|body| Sha256::digest(body).into());
        self.lock()
            .execute(&sql, params![head.seq, head.key, head.method, head.path, hash, verdict.as_str()])
            .with_context(|| format!("could not log request {}", head.seq))?;
        Ok(())
    }

    /// Gives a request that wrote nothing its verdict.
    pub(super) fn close(&self, seq: i64, verdict: Verdict) -> anyhow::Result<()> {
        set_verdict(&self.lock(), seq, verdict)
            .with_context(|| format!("could not log the verdict on request {seq}"))
    }

    /// Writes the row that a request asks for, unless it is there already, together with the
    /// verdict on the request of this number.
    pub(super) fn write(
        &self,
        seq: i64,
        identity: &Identity,
        kind: &str,
        body: &[u8],
    ) -> anyhow::Result<Written> {
        let mut connection = self.lock();
        let mut write = || -> rusqlite::Result<Written> {
            let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
            let written = match identity {
                Identity::Key(key) => find(&transaction, key, kind, body)?,
                Identity::Value(value) => replace(&transaction, value, kind, body)?,
                Identity::Nothing => None,
            };
            let written = match written {
                Some(written) => written,
                None => insert(&transaction, identity, kind, body)?,
            };
            let verdict = match written {
                Written::Created(_) => Verdict::Created,
                Written::Replaced(_) => Verdict::Replaced,
                Written::Replayed(_) => Verdict::Replayed,
                Written::Conflict => Verdict::Conflict,
            };
            set_verdict(&transaction, seq, verdict)?;
            transaction.commit()?;
            Ok(written)
        };
        write().with_context(|| format!("could not write the {kind} of request {seq}"))
    }

    /// A panic can't leave a transaction open behind it: dropping one rolls it back.
    fn lock(&self) -> MutexGuard<'_, Connection> {
        self.connection.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Store {
    fn drop(&mut self) {
        // Closing is not enough: a child that another thread is starting at this moment has a copy
        // of the descriptor until it runs its own program, and would keep the lock that long.
        let _ = self.lock_file.unlock();
    }
}

fn set_verdict(connection: &Connection, seq: i64, verdict: Verdict) -> rusqlite::Result<()> {
    connection.execute("UPDATE request SET verdict = ?2 WHERE seq = ?1", params![seq, verdict.as_str()])?;
    Ok(())
}

/// What a key already stands for, if anything.
fn find(
    transaction: &Transaction<'_>,
    key: &str,
    kind: &str,
    body: &[u8],
) -> rusqlite::Result<Option<Written>> {
    transaction
        .query_row(
            "SELECT kind = ?2 AND body = ?3, receipt FROM deal WHERE idempotency_key = ?1",
            params![key, kind, body],
            |row| {
                let same: bool = row.get(0)?;
                Ok(if same { Written::Replayed(row.get(1)?) } else { Written::Conflict })
            },
        )
        .optional()
}

/// Gives the row of a value this body, if there is such a row.
fn replace(
    transaction: &Transaction<'_>,
    value: &str,
    kind: &str,
    body: &[u8],
) -> rusqlite::Result<Option<Written>> {
    let found: Option<(String, bool, Vec<u8>)> = transaction
        .query_row(
            "SELECT id, body = ?3, receipt FROM deal WHERE kind = ?1 AND value = ?2",
            params![kind, value, body],
            |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)),
        )
        .optional()?;
    let Some((id, same, receipt)) = found else {
        return Ok(None);
    };
    if same {
        return Ok(Some(Written::Replayed(receipt)));
    }
    transaction.execute("UPDATE deal SET body = ?2 WHERE id = ?1", params![id, body])?;
    Ok(Some(Written::Replaced(receipt)))
}

/// Inserts a row under the next number of its kind: `deals` gives `deal-1`, `deal-2`.
fn insert(
    transaction: &Transaction<'_>,
    identity: &Identity,
    kind: &str,
    body: &[u8],
) -> rusqlite::Result<Written> {
    let (key, value) = match identity {
        Identity::Key(key) => (Some(key), None),
        Identity::Value(value) => (None, Some(value)),
        Identity::Nothing => (None, None),
    };
    let number: i64 = transaction.query_row(
        "SELECT coalesce(max(number), 0) + 1 FROM deal WHERE kind = ?1",
        [kind],
        |row| row.get(0),
    )?;
    let id = format!("{}-{number}", kind.strip_suffix('s').unwrap_or(kind));
    let receipt = serde_json::json!({ "id": id, "kind": kind }).to_string().into_bytes();
    let sql = format!(
        "INSERT INTO deal (id, kind, number, idempotency_key, value, body, receipt, created) \
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, {NOW_MS})"
    );
    transaction.execute(&sql, params![id, kind, number, key, value, body, receipt])?;
    Ok(Written::Created(receipt))
}
