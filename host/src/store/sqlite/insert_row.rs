//! Rows on their way in: new ones of a settlement, and revisions of an edit.
//!
//! A row that says the same to the same recipient as another one is suppressed by it, and goes back where the other one
//! ends unsent. Of one that was stopped and may have been applied all the same nobody can say so, and it goes on
//! suppressing the others.

use crate::contract::sameness::SameText;
use crate::identity::key::RowId;
use crate::identity::key::WorkId;
use crate::store::error::StoreError;
use crate::store::outbox::{NewRow, RowState};
use crate::store::sqlite::rows;
use crate::store::sqlite::tx::Tx;

/// A row with what it follows from.
pub(super) struct Insertion<'a> {
    pub(super) namespace: &'a str,
    pub(super) work: WorkId,
    pub(super) row: &'a NewRow,
    /// The slot's first revision.
    pub(super) base: RowId,
    pub(super) revision: u32,
    /// The place of the revision before it in its ordering key's line.
    pub(super) place: Option<i64>,
}

impl<'a> Insertion<'a> {
    /// A slot's first row.
    pub(super) const fn first(namespace: &'a str, work: WorkId, row: &'a NewRow) -> Self {
        Self { namespace, work, row, base: row.id, revision: 1, place: None }
    }
}

/// Insert a row, or leave the one that is there; the state of a new one.
pub(super) fn insert(tx: &Tx<'_>, insertion: &Insertion<'_>) -> Result<Option<RowState>, StoreError> {
    let Insertion { namespace, work, row, base, revision, place } = insertion;
    let about = format!("{} for {:?}, slot {:?}", row.id, row.destination, row.slot);
    let state = if row.approval.is_some() { RowState::Held } else { RowState::Pending };
    let until_ms = row
        .approval
        .as_ref()
        .and_then(|approval| approval.expires_after_ms)
        .map(|ms| tx.now_ms.saturating_add(ms));
    let inserted = tx.execute(
        include_str!("queries/outbox_insert.sql"),
        rusqlite::params![
            namespace,
            row.id.as_bytes(),
            base.as_bytes(),
            revision,
            work.as_bytes(),
            row.destination,
            row.slot,
            row.effect_version,
            row.payload.as_bytes(),
            &row.payload_hash[..],
            row.ordering_key,
            place,
            row.approval.as_ref().map(|approval| &approval.reason),
            until_ms,
            row.receipt_step.as_ref().map(|next| &next.step),
            row.receipt_step.as_ref().map(|next| next.version),
            row.same.as_ref().map(|same| &same.key[..]),
            row.same.as_ref().map(|same| same.within_ms),
            state.word(),
            tx.now_ms,
        ],
    )?;
    if inserted == 0 {
        tx.evidence(namespace, *work, "enqueued", &format!("row that was there already, {about}"))?;
        return Ok(None);
    }
    let same_as = match &row.same {
        Some(same) => find_same(tx, namespace, &row.destination, row.id, same)?,
        None => None,
    };
    let (state, what) = match (same_as, &row.approval) {
        (Some(other), _) => {
            let key = (namespace, row.id.as_bytes(), other.as_bytes());
            tx.execute(include_str!("queries/outbox_suppress.sql"), key)?;
            (
                RowState::Suppressed,
                format!(", suppressed: the row {other} says the same to the same recipient"),
            )
        }
        (None, Some(approval)) => (state, format!(", held for an approval: {}", approval.reason)),
        (None, None) => (state, String::new()),
    };
    tx.evidence(namespace, *work, "enqueued", &format!("row {about}{what}"))?;
    Ok(Some(state))
}

/// The row that says the same to the same recipient, where one is on its way or was sent within the time.
fn find_same(
    tx: &Tx<'_>,
    namespace: &str,
    destination: &str,
    row: RowId,
    same: &SameText,
) -> Result<Option<RowId>, StoreError> {
    let since_ms = tx.now_ms.saturating_sub(same.within_ms);
    let key = (namespace, destination, &same.key[..], row.as_bytes(), since_ms);
    tx.first(include_str!("queries/outbox_same.sql"), key, |row| rows::key(row, "row_id"))
}

/// A row has ended without being sent: the first of those that it suppressed takes its turn, and suppresses the others. It
/// does not where another row says the same, or where the one that ended may have been applied all the same.
pub(super) fn release_suppressed(tx: &Tx<'_>, namespace: &str, ended: RowId) -> Result<(), StoreError> {
    let next =
        tx.first(include_str!("queries/outbox_suppressed.sql"), (namespace, ended.as_bytes()), |row| {
            let same = SameText { key: row.get("same_key")?, within_ms: row.get("same_within_ms")? };
            let destination: String = row.get("destination")?;
            let unapproved: bool = row.get("unapproved")?;
            Ok((
                rows::key::<RowId>(row, "row_id")?,
                rows::key::<WorkId>(row, "work_id")?,
                destination,
                same,
                unapproved,
            ))
        })?;
    let Some((next, work, destination, same, unapproved)) = next else { return Ok(()) };
    let heir = match find_same(tx, namespace, &destination, next, &same)? {
        Some(other) => other,
        None => {
            let state = if unapproved { RowState::Held } else { RowState::Pending };
            let cause = format!("the row {ended} says the same and ended unsent");
            tx.execute(include_str!("queries/outbox_yield.sql"), (namespace, next.as_bytes()))?;
            let key = (namespace, next.as_bytes(), state.word(), tx.now_ms, &cause);
            tx.execute(include_str!("queries/outbox_release.sql"), key)?;
            tx.evidence(namespace, work, "released", &format!("row {next} is {}: {cause}", state.word()))?;
            next
        }
    };
    let others = (namespace, ended.as_bytes(), heir.as_bytes(), tx.now_ms);
    tx.execute(include_str!("queries/outbox_repoint.sql"), others).map(|_| ())
}
