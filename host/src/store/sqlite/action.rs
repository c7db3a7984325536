//! Acts with an id of their own: done once, and answered alike whenever they are said again.

use crate::identity::key::digest;
use crate::store::action::{ACTION_KEPT_MS, Outcome};
use crate::store::error::StoreError;
use crate::store::operate::Actor;
use crate::store::sqlite::SqliteStore;
use crate::store::sqlite::tx::Tx;
use serde::Serialize;

/// The label under which an act is hashed: the operation, who says it and why, and what it is about.
const ACT_LABEL: &str = "onceward/act";

impl SqliteStore {
    /// Do what a person says, once for an action id.
    pub(super) async fn act<T, W, F>(
        &self,
        operation: &'static str,
        namespace: &str,
        actor: Actor,
        what: W,
        mut run: F,
    ) -> Result<T, StoreError>
    where
        T: Outcome + Send + 'static,
        W: Serialize + Send + 'static,
        F: FnMut(&Tx<'_>, &W, &Actor) -> Result<T, StoreError> + Send + 'static,
    {
        let namespace = namespace.to_owned();
        self.writer
            .call(operation, move |tx| once(tx, &namespace, &actor, &what, || run(tx, &what, &actor)))
            .await
    }
}

/// The outcome on record, where the actor carries an action id that has one; else the act, and its outcome goes on record
/// with it.
fn once<T: Outcome>(
    tx: &Tx<'_>,
    namespace: &str,
    actor: &Actor,
    what: &impl Serialize,
    act: impl FnOnce() -> Result<T, StoreError>,
) -> Result<T, StoreError> {
    let Some(action) = &actor.action else { return act() };
    let what = json(tx, what)?;
    let parts = [tx.operation, &actor.name, &actor.reason, &what].map(str::as_bytes);
    let fingerprint = digest(ACT_LABEL, &parts);
    let found = tx.first(include_str!("queries/action_find.sql"), (namespace, action), |row| {
        Ok((row.get::<_, [u8; 32]>("fingerprint")?, row.get::<_, String>("outcome")?))
    })?;
    match found {
        Some((first, outcome)) if first == fingerprint => {
            serde_json::from_str(&outcome).map_err(|error| tx.corrupt(error.to_string()))
        }
        Some(_) => Err(StoreError::ActionReused { operation: tx.operation, action: action.clone() }),
        None => {
            let outcome = act()?;
            if outcome.holds() {
                let values = (namespace, action, &fingerprint[..], json(tx, &outcome)?, tx.now_ms);
                tx.execute(include_str!("queries/action_insert.sql"), values)?;
            }
            Ok(outcome)
        }
    }
}

fn json(tx: &Tx<'_>, value: &impl Serialize) -> Result<String, StoreError> {
    serde_json::to_string(value).map_err(|error| tx.corrupt(error.to_string()))
}

/// Forget action ids that nobody repeats any more, at most so many; how many.
pub(super) fn expire(tx: &Tx<'_>, namespace: &str, limit: u32) -> Result<u64, StoreError> {
    let values = (namespace, tx.now_ms.saturating_sub(ACTION_KEPT_MS), limit);
    let forgotten = tx.execute(include_str!("queries/action_forget.sql"), values)?;
    Ok(forgotten as u64)
}
