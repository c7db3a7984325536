//! Works and rows by what a person types: the id, its beginning, or a work's readable key.

use crate::store::Store;
use crate::store::outbox::OutboxRow;
use crate::store::work::WorkRef;
use anyhow::{Result, bail};

/// The one work that the text names. `doing` is what the caller attempts, for the error.
pub(super) async fn work(store: &dyn Store, namespace: &str, text: &str, doing: &str) -> Result<WorkRef> {
    match store.work_resolve(namespace, text).await?[..] {
        [id] => Ok(WorkRef { namespace: namespace.to_owned(), id }),
        [] => bail!("{doing}: no work has the id or key {text:?}; see `onceward work list`"),
        ref several => bail!("{doing}: {} works begin with {text:?}; give more of the id", several.len()),
    }
}

/// The one row that the text names. `doing` is what the caller attempts, for the error.
pub(super) async fn row(store: &dyn Store, namespace: &str, text: &str, doing: &str) -> Result<OutboxRow> {
    let mut rows = store.outbox_resolve(namespace, text).await?;
    match rows.len() {
        0 => bail!("{doing}: no row has the id {text:?}; see `onceward outbox list`"),
        1 => Ok(rows.remove(0)),
        several => bail!("{doing}: {several} rows begin with {text:?}; give more of the id"),
    }
}
