//! How far the work of an outside caller has come: the handoff's stage, and the cursor of a batch.

use crate::contract::fence::Token;
use crate::dispatch::caller::Callers;
use crate::dispatch::caller::error::CallerError;
use crate::dispatch::mirror::Mirror;
use crate::store::work::{Mark, WorkRef};

/// The longest cursor, in bytes: it is a place in a list, and each one that is saved is written to disk.
const CURSOR_LIMIT_BYTES: usize = 16 * 1024;

impl Callers {
    /// Move a handoff on, and tell it elsewhere where the operator wants it; the stage that it has reached then. One that
    /// lies behind changes nothing.
    ///
    /// # Errors
    /// [`CallerError`], where the claim is lost, there is no such stage, or the store fails.
    pub async fn advance(&self, work: WorkRef, token: Token, stage: &str) -> Result<String, CallerError> {
        let Some(mut mark) = Mark::of(&self.setup.stages, stage) else {
            let known = self.setup.stages.join(", ");
            return Err(CallerError::Stage { stage: stage.to_owned(), known });
        };
        let held = self.held(&work, token).await?;
        let row = |mirror: &Mirror| mirror.row(&held, stage, self.clock.now_ms());
        mark.mirror = self.setup.mirror.as_ref().map(row).map(Box::new);
        self.store.progress_advance(work, token, mark).await?.ok_or(CallerError::LeaseLost)
    }

    /// Keep how far a batch has come. Another place than before is progress: attempts and time begin anew.
    ///
    /// # Errors
    /// [`CallerError`], where the claim is lost, the cursor is too long, or the store fails.
    pub async fn save_cursor(&self, work: WorkRef, token: Token, cursor: String) -> Result<(), CallerError> {
        if cursor.len() > CURSOR_LIMIT_BYTES {
            return Err(CallerError::Cursor { bytes: cursor.len(), limit_bytes: CURSOR_LIMIT_BYTES });
        }
        match self.store.cursor_save(work, token, cursor).await? {
            true => Ok(()),
            false => Err(CallerError::LeaseLost),
        }
    }

    /// How far the batch had come, at this attempt or an earlier one.
    ///
    /// # Errors
    /// [`CallerError`], where the claim is lost, or the store fails.
    pub async fn load_cursor(&self, work: WorkRef, token: Token) -> Result<Option<String>, CallerError> {
        Ok(self.held(&work, token).await?.cursor)
    }
}
