//! How a claim is answered: new work, a takeover, or how the work stands.

use crate::contract::fence::Token;
use crate::identity::key::ContentHash;
use crate::identity::key::RootKey;
use crate::identity::key::WorkId;
use crate::store::claim::{Acquired, Answered, Arrival, Candidate, Claim, Standing, Taking, Terms};
use crate::store::durable::Durable;
use crate::store::error::StoreError;
use crate::store::pause::PauseScope;
use crate::store::quarantine::{OnMismatch, QuarantineState};
use crate::store::sqlite::intent;
use crate::store::sqlite::pause;
use crate::store::sqlite::quarantine;
use crate::store::sqlite::quarantine::Kept;
use crate::store::sqlite::raw;
use crate::store::sqlite::retention;
use crate::store::sqlite::rows;
use crate::store::sqlite::tx::{Tx, first};
use crate::store::work::{Holder, WorkRecord, WorkRef, WorkState};
use rusqlite::Connection;

/// The longest hint to a caller that finds the work running, in milliseconds: runs are short, leases are not.
const RUNNING_HINT_MAX_MS: i64 = 1_000;

/// A work that was found, as far as a claim needs it.
pub(super) struct Found {
    pub(super) seq: i64,
    pub(super) work_id: WorkId,
    pub(super) readable_key: String,
    version: u32,
    content_hash: ContentHash,
    state: WorkState,
    lease_until_ms: Option<i64>,
    due_ms: Option<i64>,
}

impl Found {
    /// Whether it has ended for good: it never changes.
    pub(super) const fn has_ended(&self) -> bool {
        matches!(self.state, WorkState::Done | WorkState::Rejected | WorkState::Cancelled)
    }

    /// Whether an event that was found under this candidate has the content on record.
    pub(super) fn is_same(&self, arrival: &Arrival, candidate: &Candidate) -> bool {
        self.recorded_with(arrival, candidate).content_hash == self.content_hash
    }

    /// The content is compared as the version that recorded it declared it.
    fn recorded_with<'a>(&self, arrival: &'a Arrival, candidate: &'a Candidate) -> &'a Candidate {
        arrival.candidates().find(|earlier| earlier.version == self.version).unwrap_or(candidate)
    }
}

/// Claim a work, or say how it stands, and what to wait for before that is told. New work may run at once: a crash then loses what
/// nobody was told. Whatever else is told must be true after a crash, and a work that was there before may be the one that
/// kills its host.
pub(super) fn claim(tx: &Tx<'_>, arrival: &Arrival, terms: Terms) -> Result<(Claim, Durable), StoreError> {
    let claim = match find(tx.connection, tx.operation, arrival)? {
        Some((found, candidate)) => claim_found(tx, arrival, &found, candidate, terms)?,
        None => claim_new(tx, arrival, terms)?,
    };
    let at_once = matches!(&claim, Claim::Acquired(held) if held.new);
    Ok((claim, if at_once { Durable::already() } else { tx.durable.clone() }))
}

/// The work under the current identity or an earlier one, with the candidate that found it.
pub(super) fn find<'a>(
    connection: &Connection,
    operation: &'static str,
    arrival: &'a Arrival,
) -> Result<Option<(Found, &'a Candidate)>, StoreError> {
    for candidate in arrival.candidates() {
        if let Some(found) = find_root(connection, operation, arrival, candidate.root_key)? {
            return Ok(Some((found, candidate)));
        }
    }
    Ok(None)
}

fn find_root(
    connection: &Connection,
    operation: &'static str,
    arrival: &Arrival,
    root: RootKey,
) -> Result<Option<Found>, StoreError> {
    let key = (&arrival.namespace, root.as_bytes(), &arrival.step);
    first(connection, operation, include_str!("queries/work_find.sql"), key, |row| {
        Ok(Found {
            seq: row.get("seq")?,
            work_id: rows::key(row, "work_id")?,
            readable_key: row.get("readable_key")?,
            version: row.get("version")?,
            content_hash: rows::key(row, "content_hash")?,
            state: rows::state(row, WorkState::from_word)?,
            lease_until_ms: row.get("lease_until_ms")?,
            due_ms: row.get("due_ms")?,
        })
    })
}

fn claim_new(tx: &Tx<'_>, arrival: &Arrival, terms: Terms) -> Result<Claim, StoreError> {
    let new = &arrival.current;
    if retention::is_forgotten(tx, arrival)? {
        return Ok(answered(arrival, new.work_id, &new.readable_key, Standing::TooOld));
    }
    if let Some(cause) = paused(tx, arrival)? {
        let why = format!("waits, since its step is paused: {cause}");
        return record(tx, arrival, &why, Standing::Paused { cause });
    }
    if arrival.taking == Taking::Record {
        return record(tx, arrival, "waits to be taken", Standing::Recorded);
    }
    let token = tx.next_token();
    let lease_until_ms = tx.now_ms.saturating_add(terms.lease_ms);
    insert(tx, arrival, Some((token, lease_until_ms)))?;
    tx.evidence(&arrival.namespace, new.work_id, "claimed", &format!("new, attempt 1, token {token}"))?;
    let work = claimed_at_once(tx, arrival, lease_until_ms);
    acquired(tx, work, token, Holding::New, arrival.intent.as_deref())
}

/// The record of new work that is held since it was inserted, without reading back what was written.
fn claimed_at_once(tx: &Tx<'_>, arrival: &Arrival, lease_until_ms: i64) -> WorkRecord {
    let new = &arrival.current;
    WorkRecord {
        namespace: arrival.namespace.clone(),
        work_id: new.work_id,
        root_key: new.root_key,
        root_version: new.version,
        readable_key: new.readable_key.clone(),
        step: arrival.step.clone(),
        version: new.version,
        holder: arrival.holder,
        source: arrival.source.clone(),
        event_id: arrival.event_id.clone(),
        occurred_at_ms: arrival.occurred_at_ms.unwrap_or(tx.now_ms),
        payload: arrival.payload.clone(),
        state: WorkState::Running,
        attempt: 1,
        budget_from_ms: Some(tx.now_ms),
        chunk: 0,
        duplicates: 0,
        due_ms: None,
        lease_until_ms: Some(lease_until_ms),
        cursor: None,
        output: None,
        needs_review: None,
        cause: None,
        chain_depth: 0,
        erased_ms: None,
        created_ms: tx.now_ms,
        updated_ms: tx.now_ms,
    }
}

/// Insert an event's work, held by a claim until its lease ends, or by nobody.
fn insert(tx: &Tx<'_>, arrival: &Arrival, claim: Option<(Token, i64)>) -> Result<(), StoreError> {
    let new = &arrival.current;
    let occurred_at_ms = arrival.occurred_at_ms.unwrap_or(tx.now_ms);
    tx.execute(
        include_str!("queries/work_insert.sql"),
        rusqlite::params![
            arrival.namespace,
            new.work_id.as_bytes(),
            new.root_key.as_bytes(),
            new.version,
            arrival.step,
            new.readable_key,
            arrival.source,
            arrival.event_id,
            occurred_at_ms,
            new.content_hash.as_bytes(),
            arrival.payload.as_bytes(),
            claim.map(|(token, _)| token.number()),
            claim.map(|(_, lease_until_ms)| lease_until_ms),
            tx.now_ms,
            arrival.holder.word(),
            arrival.occurred_at_ms.is_some(),
            arrival.window.length_ms(),
            arrival.window.marker(),
            arrival.window.forget_after_ms(occurred_at_ms, tx.now_ms),
        ],
    )?;
    match &arrival.raw {
        Some(raw) => raw::keep(tx, &arrival.namespace, new.work_id, raw),
        None => Ok(()),
    }
}

/// Why the step is stopped, where it is.
fn paused(tx: &Tx<'_>, arrival: &Arrival) -> Result<Option<String>, StoreError> {
    pause::find(tx, &arrival.namespace, &PauseScope::Step(arrival.step.clone()))
}

/// Record new work that nobody holds: it waits, and is due.
fn record(tx: &Tx<'_>, arrival: &Arrival, why: &str, standing: Standing) -> Result<Claim, StoreError> {
    let new = &arrival.current;
    insert(tx, arrival, None)?;
    tx.evidence(&arrival.namespace, new.work_id, "recorded", why)?;
    Ok(answered(arrival, new.work_id, &new.readable_key, standing))
}

fn claim_found(
    tx: &Tx<'_>,
    arrival: &Arrival,
    found: &Found,
    candidate: &Candidate,
    terms: Terms,
) -> Result<Claim, StoreError> {
    if found.is_same(arrival, candidate) {
        return claim_same(tx, arrival, found, terms);
    }
    collide(tx, arrival, found, candidate, terms)
}

/// Identity and content are those on record: take the work, or say how it stands.
fn claim_same(tx: &Tx<'_>, arrival: &Arrival, found: &Found, terms: Terms) -> Result<Claim, StoreError> {
    let standing = match ready(tx, found) {
        Ready::Now => match paused(tx, arrival)? {
            Some(cause) => Standing::Paused { cause },
            None if arrival.taking == Taking::Record => {
                Standing::InProgress { state: found.state, retry_after_ms: 0 }
            }
            None => match take(tx, found.seq, terms, arrival.intent.as_deref())? {
                Some(claim) => return Ok(claim),
                None => standing_at_rest(tx, arrival, found)?,
            },
        },
        Ready::Later(retry_after_ms) => Standing::InProgress { state: found.state, retry_after_ms },
        Ready::Never => standing_at_rest(tx, arrival, found)?,
    };
    repeated(tx, arrival, found, standing)
}

/// The identity is on record with other content, which stands. The event may be kept already; one that a person has
/// admitted is work of its own.
fn collide(
    tx: &Tx<'_>,
    arrival: &Arrival,
    found: &Found,
    candidate: &Candidate,
    terms: Terms,
) -> Result<Claim, StoreError> {
    let recorded_with = found.recorded_with(arrival, candidate);
    let root = &candidate.root_key;
    let contents = arrival.candidates().map(|each| each.content_hash);
    let standing = match quarantine::find(tx, arrival, root, contents)? {
        Some(Kept { work_id: id, state: QuarantineState::Waiting, .. }) => Standing::Quarantined { id },
        Some(Kept { work_id: id, state: QuarantineState::Dropped, .. }) => Standing::Dropped { id },
        Some(Kept { root_key, state: QuarantineState::Admitted, .. }) => {
            // Its own work may have been forgotten before the first one.
            match find_root(tx.connection, tx.operation, arrival, root_key)? {
                Some(admitted) => return claim_same(tx, arrival, &admitted, terms),
                None => Standing::TooOld,
            }
        }
        None if arrival.on_mismatch == OnMismatch::Quarantine => {
            let id = quarantine::keep(tx, arrival, root, recorded_with, found.work_id)?;
            Standing::Quarantined { id }
        }
        None => {
            let arrived = recorded_with.content_hash;
            let detail = format!("an event with other content ({arrived}) was refused");
            tx.evidence(&arrival.namespace, found.work_id, "mismatch", &detail)?;
            Standing::Mismatch { recorded: found.content_hash, arrived }
        }
    };
    repeated(tx, arrival, found, standing)
}

/// Count an arrival that does not get the work.
fn repeated(tx: &Tx<'_>, arrival: &Arrival, found: &Found, standing: Standing) -> Result<Claim, StoreError> {
    let values = (found.seq, 1, found.work_id.as_bytes());
    tx.execute(include_str!("queries/work_count_duplicate.sql"), values)?;
    Ok(answered(arrival, found.work_id, &found.readable_key, standing))
}

/// Whether a work is free to be taken.
enum Ready {
    Now,
    /// In so many milliseconds.
    Later(i64),
    /// It has ended, or waits for a person.
    Never,
}

fn ready(tx: &Tx<'_>, found: &Found) -> Ready {
    let (until_ms, hint_max_ms) = match found.state {
        WorkState::Waiting => (found.due_ms, i64::MAX),
        WorkState::Running => (found.lease_until_ms, RUNNING_HINT_MAX_MS),
        _ => return Ready::Never,
    };
    match until_ms.unwrap_or(0).saturating_sub(tx.now_ms) {
        ..=0 => Ready::Now,
        left_ms => Ready::Later(left_ms.min(hint_max_ms)),
    }
}

/// How a work stands that has ended, or waits for a person.
fn standing_at_rest(tx: &Tx<'_>, arrival: &Arrival, found: &Found) -> Result<Standing, StoreError> {
    let standing = at_rest(tx.connection, tx.operation, arrival, found)?;
    standing.ok_or_else(|| tx.corrupt("a found work has no row"))
}

/// The same, where it is still there.
pub(super) fn at_rest(
    connection: &Connection,
    operation: &'static str,
    arrival: &Arrival,
    found: &Found,
) -> Result<Option<Standing>, StoreError> {
    let key = (found.seq, found.work_id.as_bytes());
    let recorded = first(connection, operation, include_str!("queries/work_rest.sql"), key, rows::recorded)?;
    Ok(recorded.map(|recorded| Standing::of(recorded, arrival.response)))
}

/// Take over a work that is due or whose lease has ended. Where its attempts are used up it dies instead, and where an
/// outside caller's effect is open it is in doubt: none.
pub(super) fn take(
    tx: &Tx<'_>,
    seq: i64,
    terms: Terms,
    effect: Option<&str>,
) -> Result<Option<Claim>, StoreError> {
    let before = tx
        .first(include_str!("queries/work_read.sql"), [seq], rows::work)?
        .ok_or_else(|| tx.corrupt("a found work has no row"))?;
    let takeover = before.state == WorkState::Running;
    if takeover && before.holder == Holder::Caller && intent::doubt(tx, seq, &before)? {
        return Ok(None);
    }
    if takeover && cancel_lapsed(tx, seq, &before)? {
        return Ok(None);
    }
    let token = tx.next_token();
    let claimed = tx.execute(
        include_str!("queries/work_claim.sql"),
        (
            seq,
            token.number(),
            tx.now_ms.saturating_add(terms.lease_ms),
            tx.now_ms,
            terms.attempts_max,
            terms.age_max_ms,
        ),
    )?;
    if claimed == 1 {
        let how = if takeover { "taken over, the last lease ended without a settle" } else { "due" };
        let detail = format!("{how}, attempt {}, token {token}", before.attempt + 1);
        tx.evidence(&before.namespace, before.work_id, "claimed", &detail)?;
        let holding = if takeover { Holding::TakenOver } else { Holding::Due };
        let work = tx
            .first(include_str!("queries/work_read.sql"), [seq], rows::work)?
            .ok_or_else(|| tx.corrupt("a claimed work has no row"))?;
        return acquired(tx, work, token, holding, effect).map(Some);
    }
    let last = before.cause.as_deref().unwrap_or(match before.holder {
        Holder::Host => "the host ended during the last attempt",
        Holder::Caller => "the caller let the last lease end",
    });
    let what = if before.attempt >= terms.attempts_max { "attempts" } else { "time" };
    let cause = format!("{what} used up ({}): {last}", before.attempt);
    if tx.execute(include_str!("queries/work_die.sql"), (seq, &cause, tx.now_ms))? != 1 {
        // Neither claimed nor dead: going on would look for due work for ever.
        return Err(tx.corrupt("a due work could be neither claimed nor ended"));
    }
    tx.evidence(&before.namespace, before.work_id, "dead", &cause)?;
    Ok(None)
}

/// Whether a person cancelled the work while it was run by a holder who has gone away: then it is cancelled now.
fn cancel_lapsed(tx: &Tx<'_>, seq: i64, work: &WorkRecord) -> Result<bool, StoreError> {
    let cause: Option<String> =
        tx.first(include_str!("queries/work_cancel_lapsed.sql"), (seq, tx.now_ms), |row| row.get(0))?;
    if let Some(cause) = &cause {
        tx.evidence(&work.namespace, work.work_id, "cancelled", cause)?;
    }
    Ok(cause.is_some())
}

/// How a claim came to its work.
enum Holding {
    New,
    Due,
    TakenOver,
}

fn acquired(
    tx: &Tx<'_>,
    work: WorkRecord,
    token: Token,
    holding: Holding,
    effect: Option<&str>,
) -> Result<Claim, StoreError> {
    let intents = match work.holder {
        Holder::Host => Vec::new(),
        Holder::Caller => intent::open(tx, &work.namespace, work.work_id, token, effect)?,
    };
    Ok(Claim::Acquired(Box::new(Acquired {
        work,
        token,
        takeover: matches!(holding, Holding::TakenOver),
        new: matches!(holding, Holding::New),
        intents,
        durable: tx.durable.clone(),
    })))
}

pub(super) fn answered(arrival: &Arrival, id: WorkId, readable_key: &str, standing: Standing) -> Claim {
    let work = WorkRef { namespace: arrival.namespace.clone(), id };
    Claim::Answered(Answered { work, readable_key: readable_key.to_owned(), standing })
}
