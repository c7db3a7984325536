//! Rows of outside callers: each is recorded at once, under the claim.

use crate::contract::fence::Token;
use crate::dispatch::caller::Callers;
use crate::dispatch::caller::error::CallerError;
use crate::runtime::row::{RowDraft, RowFault};
use crate::store::outbox::Enqueued;
use crate::store::work::WorkRef;

impl Callers {
    /// Enqueue a row of a held work. It goes out however the claim ends, and a repeat of its slot is the same row.
    ///
    /// # Errors
    /// [`CallerError`], where the claim is lost, the row is not usable, or the store fails.
    pub async fn enqueue(
        &self,
        work: WorkRef,
        token: Token,
        draft: RowDraft,
    ) -> Result<Enqueued, CallerError> {
        let held = self.held(&work, token).await?;
        let terms = self.setup.destinations.get(&draft.destination);
        let row = draft.row(&held, terms, &self.setup.receipt_steps).map_err(|fault| match fault {
            RowFault::Destination(name) => {
                let known = self.setup.destinations.keys().cloned().collect::<Vec<_>>().join(", ");
                CallerError::Destination { name, known }
            }
            fault => CallerError::Row(fault),
        })?;
        self.store.outbox_enqueue(work, token, row).await?.ok_or(CallerError::LeaseLost)
    }
}
