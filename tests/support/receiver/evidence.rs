//! What the receiver's file proves: the counts and the rows.
//!
//! Owns the questions, not the file. It opens a connection of its own beside the receiver's, so
//! it also answers while the receiver is dead. It writes nothing, and fails only where the file
//! can't be read.

use std::collections::BTreeMap;
use std::path::Path;

use anyhow::Context;
use rusqlite::Connection;
use rusqlite::Params;
use rusqlite::Row;
use rusqlite::params;
use serde::Deserialize;
use serde::Serialize;

use crate::receiver::store;

/// How often what has happened, since the directory was made.
///
/// `requests = created + replaced + replayed + conflicts + in_progress + refused + limited +
/// unfinished`, always.
/// As the answer of `GET /counts` it is the JSON object with these members.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Counts {
    /// Write requests whose head arrived, whatever became of them.
    pub requests: u64,
    /// Those that wrote a new row.
    pub created: u64,
    /// Upserts that gave their row another body.
    pub replaced: u64,
    /// Those that were an exact resend of one that had: of a key's body, or of what an upsert's row
    /// has already.
    pub replayed: u64,
    /// Those whose key belonged to other content (422), or that met the fault `conflict`.
    pub conflicts: u64,
    /// Those whose key was in work (409), or that met the fault `in-progress`.
    pub in_progress: u64,
    /// Those that wrote nothing for any other reason.
    pub refused: u64,
    /// Those that came when the second was full (429), under `--rate`.
    pub limited: u64,
    /// Those without a verdict: in work at this moment, or cut off by the receiver's death.
    pub unfinished: u64,
    /// Requests that only asked for rows, searches included. They are not among `requests`.
    pub reads: u64,
    /// The rows of each kind. Their sum is `created`.
    pub by_kind: BTreeMap<String, u64>,
    /// The most distinct bodies that came under one key: 1 proves that every resend was
    /// byte-identical, 0 that no request had a key and a body.
    pub bodies: u64,
}

/// One row that a request wrote.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Deal {
    /// Such as `deal-1`.
    pub id: String,
    /// Such as `deals`: the path it was sent to.
    pub kind: String,
    /// The idempotency key, absent under `--key-optional` and where the path takes none.
    pub key: Option<String>,
    /// The value it was upserted on, for a row written at `/upsert`.
    pub value: Option<String>,
    /// The body, byte for byte as it arrived; of an upserted row the last one.
    pub body: String,
    /// When it was first written, in Unix milliseconds.
    pub created_ms: i64,
}

/// Counts what the receiver in this directory has seen. It need not be running.
///
/// # Errors
/// Where the file can't be opened or read.
pub fn counts(dir: &Path) -> anyhow::Result<Counts> {
    read_counts(&store::connect(dir)?)
        .with_context(|| format!("could not count in {}", store::database(dir).display()))
}

/// All rows in the order in which they were first written. The receiver need not be running.
///
/// # Errors
/// Where the file can't be opened or read.
pub fn deals(dir: &Path) -> anyhow::Result<Vec<Deal>> {
    select(dir, "TRUE", [])
}

/// The rows of a kind that are at least this old, in the order in which they were first written.
pub(super) fn visible(dir: &Path, kind: &str, age_ms: u64) -> anyhow::Result<Vec<Deal>> {
    let which = format!("kind = ?1 AND {} - created >= ?2", store::NOW_MS);
    // SQLite's numbers end at the half of ours, at an age that no row reaches either way.
    select(dir, &which, params![kind, i64::try_from(age_ms).unwrap_or(i64::MAX)])
}

fn select(dir: &Path, which: &str, values: impl Params) -> anyhow::Result<Vec<Deal>> {
    let connection = store::connect(dir)?;
    let sql = format!(
        "SELECT id, kind, idempotency_key, value, body, created FROM deal WHERE {which} ORDER BY rowid"
    );
    let read = || -> rusqlite::Result<Vec<Deal>> {
        connection.prepare(&sql)?.query_map(values, read_deal)?.collect()
    };
    read().with_context(|| format!("could not read {}", store::database(dir).display()))
}

fn read_deal(row: &Row<'_>) -> rusqlite::Result<Deal> {
    let body: Vec<u8> = row.get(4)?;
    Ok(Deal {
        id: row.get(0)?,
        kind: row.get(1)?,
        key: row.get(2)?,
        value: row.get(3)?,
        // A body is stored only after it was read as JSON, so nothing is ever replaced here.
        body: String::from_utf8_lossy(&body).into_owned(),
        created_ms: row.get(5)?,
    })
}

/// Reads everything in one transaction, so that the numbers belong to one moment.
fn read_counts(connection: &Connection) -> rusqlite::Result<Counts> {
    let moment = connection.unchecked_transaction()?;
    let mut counts = Counts::default();
    let mut verdicts = moment.prepare("SELECT verdict, count(*) FROM request GROUP BY verdict")?;
    let mut rows = verdicts.query([])?;
    while let Some(row) = rows.next()? {
        let verdict: String = row.get(0)?;
        let count = count(row, 1)?;
        let place = match verdict.as_str() {
            "created" => &mut counts.created,
            "replaced" => &mut counts.replaced,
            "replayed" => &mut counts.replayed,
            "conflict" => &mut counts.conflicts,
            "in-progress" => &mut counts.in_progress,
            "refused" => &mut counts.refused,
            "limited" => &mut counts.limited,
            "read" => &mut counts.reads,
            _ => &mut counts.unfinished,
        };
        *place = count;
        if verdict != "read" {
            counts.requests += count;
        }
    }
    counts.by_kind = moment
        .prepare("SELECT kind, count(*) FROM deal GROUP BY kind")?
        .query_map([], |row| Ok((row.get(0)?, count(row, 1)?)))?
        .collect::<rusqlite::Result<_>>()?;
    counts.bodies = moment.query_row(
        "SELECT coalesce(max(bodies), 0) FROM (
             SELECT count(DISTINCT body_hash) AS bodies FROM request
             WHERE key IS NOT NULL AND body_hash IS NOT NULL GROUP BY key)",
        [],
        |row| count(row, 0),
    )?;
    Ok(counts)
}

/// SQLite has signed numbers only; a count of rows is never negative.
fn count(row: &Row<'_>, column: usize) -> rusqlite::Result<u64> {
    Ok(row.get::<_, i64>(column)?.cast_unsigned())
}
