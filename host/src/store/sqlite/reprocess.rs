//! Old events under a raised version.

use crate::store::error::StoreError;
use crate::store::operate::Actor;
use crate::store::reprocess::{Reprocess, Reprocessed};
use crate::store::sqlite::operate::said;
use crate::store::sqlite::rows;
use crate::store::sqlite::tx::Tx;
use crate::store::work::{Holder, WorkState};

pub(super) fn reprocess(tx: &Tx<'_>, asked: &Reprocess, actor: &Actor) -> Result<Reprocessed, StoreError> {
    let (namespace, old) = (&asked.work.namespace, asked.work.id);
    let found = tx.first(include_str!("queries/work_show.sql"), (namespace, old.as_bytes()), rows::work)?;
    let Some(work) = found else { return Ok(Reprocessed::Unknown) };
    if work.holder == Holder::Caller || work.chain_depth > 0 {
        return Ok(Reprocessed::NoEvent);
    }
    if work.erased_ms.is_some() {
        return Ok(Reprocessed::Erased);
    }
    let root = work.root_key.as_bytes();
    let newest =
        tx.first(include_str!("queries/work_reprocessed.sql"), (namespace, root, &work.step), |row| {
            Ok((rows::key(row, "work_id")?, row.get::<_, u32>("root_version")?))
        })?;
    match newest {
        Some((id, version)) if version >= asked.version && id != old => {
            return Ok(Reprocessed::Already { id });
        }
        _ if work.version >= asked.version => {
            return Ok(Reprocessed::NotRaised { version: work.version });
        }
        _ => {}
    }
    let unfinished =
        tx.first(include_str!("queries/work_unfinished.sql"), (namespace, root, work.root_version), |row| {
            Ok((rows::key(row, "work_id")?, rows::state(row, WorkState::from_word)?))
        })?;
    if let Some((id, state)) = unfinished {
        return Ok(Reprocessed::Unfinished { id, state });
    }
    let (id, why) = (asked.work_id, said(actor));
    tx.execute(
        include_str!("queries/work_reprocess.sql"),
        (
            namespace,
            old.as_bytes(),
            id.as_bytes(),
            asked.version,
            &asked.readable_key,
            asked.content_hash.as_bytes(),
            tx.now_ms,
        ),
    )?;
    let version = asked.version;
    tx.evidence(
        namespace,
        old,
        "decided-by",
        &format!("reprocessed under version {version} as {id}: {why}"),
    )?;
    tx.evidence(namespace, id, "recorded", &format!("the event of {old} under version {version}: {why}"))?;
    Ok(Reprocessed::Applied { id })
}
