//! Old events under a raised version: the event is read back from the work, and identified as the step's present contract says.

use crate::dispatch::step::{DispatchError, Dispatcher};
use crate::identity::event::Event;
use crate::identity::json_text::JsonError;
use crate::identity::json_text::parse;
use crate::identity::readable_key::under;
use crate::identity::time::format_ms;
use crate::identity::work_id::reprocessed_id;
use crate::identity::work_id::{IdentityError, identify};
use crate::store::error::StoreError;
use crate::store::operate::Actor;
use crate::store::reprocess::{Reprocess, Reprocessed};
use crate::store::work::{Holder, WorkRecord, WorkRef};

/// Why an old event could not be run again.
#[derive(Debug, thiserror::Error)]
pub enum ReprocessError {
    /// The step is not there any more.
    #[error("reprocessing a work: its step is not configured; add it again, in the version to run")]
    Step(#[source] DispatchError),
    /// The present contract has no identity for the old event.
    #[error(
        "reprocessing a work of {step:?}: the event has no identity under version {version}; have the contract take fields that old events have too"
    )]
    Identity {
        /// The step.
        step: String,
        /// The present version.
        version: u32,
        /// Which field, and why.
        source: IdentityError,
    },
    /// The recorded payload can't be read.
    #[error("reprocessing a work: its recorded payload can't be read; restore the ledger from a backup")]
    Payload(#[source] JsonError),
    /// The store failed.
    #[error(transparent)]
    Store(#[from] StoreError),
}

impl Dispatcher {
    /// Run the event of an old work under its step's present version, as new work beside the old one. It waits for a
    /// worker; effects keep their ids, so that nothing is sent again.
    ///
    /// # Errors
    /// [`ReprocessError`], where the step or an identity is missing, or the store fails.
    pub async fn reprocess(&self, work: WorkRef, actor: Actor) -> Result<Reprocessed, ReprocessError> {
        let Some(old) = self.store().work_show(work.clone()).await? else { return Ok(Reprocessed::Unknown) };
        if old.holder == Holder::Caller {
            return Ok(Reprocessed::NoEvent);
        }
        let contract = self.setup(&old.step).map_err(ReprocessError::Step)?.contract();
        let (step, version) = (&contract.name, contract.version);
        let event = event(&old).map_err(ReprocessError::Payload)?;
        let identified = identify(&old.namespace, step, version, &contract.identity, &contract.rules, &event)
            .map_err(|source| ReprocessError::Identity { step: step.clone(), version, source })?;
        let reprocess = Reprocess {
            work,
            version,
            work_id: reprocessed_id(&old.namespace, &old.root_key, step, version),
            readable_key: under(&old.readable_key, step, version),
            content_hash: identified.content_hash,
        };
        Ok(self.store().work_reprocess(reprocess, actor).await?)
    }
}

/// The event that a work was recorded for. Its original time is to the millisecond, which is enough here: the root key,
/// which all its digits went into, stays that of the old work.
fn event(work: &WorkRecord) -> Result<Event, JsonError> {
    Ok(Event {
        source: work.source.clone(),
        id: work.event_id.clone(),
        occurred_at: Some(format_ms(work.occurred_at_ms)),
        occurred_at_ms: Some(work.occurred_at_ms),
        data_text: work.payload.clone(),
        data: parse(&work.payload)?,
    })
}
