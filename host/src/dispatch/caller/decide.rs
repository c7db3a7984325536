//! Decisions of outside callers: recalled, kept, or asked for at the host's desk.
//!
//! A decision belongs to the caller's work and slot, so that a later claim of the same key finds it. What the host asks for
//! belongs to the host: a caller that goes away while the model thinks loses its place in the queue, and not the answer.

use crate::contract::fence::Token;
use crate::dispatch::caller::error::CallerError;
use crate::dispatch::caller::{Callers, check_name};
use crate::models::ModelRequest;
use crate::runtime::decide::{Asker, Decision};
use crate::store::decision::Figures;
use crate::store::work::WorkRef;

impl Callers {
    /// The slot's answer, where it has one.
    ///
    /// # Errors
    /// [`CallerError`], where the claim is lost, or the store fails.
    pub async fn recall(
        &self,
        work: WorkRef,
        token: Token,
        slot: &str,
    ) -> Result<Option<Decision>, CallerError> {
        check_name("a decision", slot)?;
        self.held(&work, token).await?;
        Ok(self.setup.desk.pinned(&Asker::caller(work, token), slot).await?)
    }

    /// Keep an answer that the caller has got by itself; the answer that stands.
    ///
    /// # Errors
    /// [`CallerError`], where the claim is lost (the answer is kept all the same where the claim ended only now), the question
    /// or the answer is not usable, or the store fails.
    pub async fn keep(
        &self,
        work: WorkRef,
        token: Token,
        slot: &str,
        request: ModelRequest,
        answer: String,
        figures: Figures,
    ) -> Result<Decision, CallerError> {
        check_question(slot, &request)?;
        self.held(&work, token).await?;
        Ok(self.setup.desk.keep(&Asker::caller(work, token), slot, request, answer, figures).await?)
    }

    /// The one answer of the slot: recalled, cached, or asked of a model of the host. While it is asked the claim holds.
    ///
    /// # Errors
    /// [`CallerError`], where the claim is lost, there is no answer, or the store fails.
    pub async fn decide(
        &self,
        work: WorkRef,
        token: Token,
        slot: &str,
        request: ModelRequest,
    ) -> Result<Decision, CallerError> {
        check_question(slot, &request)?;
        self.held(&work, token).await?;
        Ok(self.setup.desk.decide(&Asker::caller(work, token), slot, request).await?)
    }
}

fn check_question(slot: &str, request: &ModelRequest) -> Result<(), CallerError> {
    check_name("a decision", slot)?;
    check_name("a model", &request.model)?;
    check_name("a prompt's version", &request.prompt_version)
}
