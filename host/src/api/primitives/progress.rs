//! `advance`, `save-cursor` and `load-cursor`: how far it has come.

use crate::api::auth::Caller;
use crate::api::error::{Problem, Success, success};
use crate::api::primitives::problem::problem;
use crate::api::primitives::{Primitive, holding};
use crate::api::service::Service;
use crate::identity::key::WorkId;
use axum::response::Response;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// A stage that is reached.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct AdvanceRequest {
    /// The work's id, its beginning, or the readable key.
    work: String,
    /// The token that `claim` gave.
    token: i64,
    /// The stage, one of the operator's list.
    #[schema(example = "matched")]
    stage: String,
}

/// Whether the handoff stands there.
#[derive(Clone, Copy, Debug, Serialize, ToSchema)]
#[serde(rename_all = "kebab-case")]
pub(super) enum AdvanceWord {
    /// It does.
    Advanced,
    /// It has been further already, and stays there.
    Behind,
}

/// Where a handoff stands.
#[derive(Debug, Serialize, ToSchema)]
pub(super) struct AdvanceAnswer {
    /// Whether that is the stage that was said.
    verdict: AdvanceWord,
    /// The work, in 64 hexadecimal digits.
    work_id: WorkId,
    /// The stage that is reached.
    stage: String,
}

/// A place in a list.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct SaveCursorRequest {
    /// The work's id, its beginning, or the readable key.
    work: String,
    /// The token that `claim` gave.
    token: i64,
    /// What the next attempt needs to go on from here; any text.
    cursor: String,
}

/// A work whose cursor is wanted.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct LoadCursorRequest {
    /// The work's id, its beginning, or the readable key.
    work: String,
    /// The token that `claim` gave.
    token: i64,
}

/// What was done with a cursor.
#[derive(Clone, Copy, Debug, Serialize, ToSchema)]
#[serde(rename_all = "kebab-case")]
pub(super) enum CursorWord {
    /// It is kept.
    Saved,
    /// Here it is, or there is none.
    Loaded,
}

/// A batch's cursor.
#[derive(Debug, Serialize, ToSchema)]
pub(super) struct CursorAnswer {
    /// What was done.
    verdict: CursorWord,
    /// The work, in 64 hexadecimal digits.
    work_id: WorkId,
    /// The cursor; null where none was saved.
    cursor: Option<String>,
}

impl Primitive for AdvanceRequest {
    async fn act(self, service: &Service, caller: &Caller) -> Result<Response, Problem> {
        let (work, token) = holding(service, caller, &self.work, self.token).await?;
        let work_id = work.id;
        let reached = caller.namespace.callers.advance(work, token, &self.stage).await;
        let stage = reached.map_err(|error| problem(error, work_id))?;
        let verdict = if stage == self.stage { AdvanceWord::Advanced } else { AdvanceWord::Behind };
        Ok(success(Success::Done, AdvanceAnswer { verdict, work_id, stage }))
    }
}

impl Primitive for SaveCursorRequest {
    async fn act(self, service: &Service, caller: &Caller) -> Result<Response, Problem> {
        let (work, token) = holding(service, caller, &self.work, self.token).await?;
        let (work_id, cursor) = (work.id, self.cursor);
        let saved = caller.namespace.callers.save_cursor(work, token, cursor.clone()).await;
        saved.map_err(|error| problem(error, work_id))?;
        let (verdict, cursor) = (CursorWord::Saved, Some(cursor));
        Ok(success(Success::Done, CursorAnswer { verdict, work_id, cursor }))
    }
}

impl Primitive for LoadCursorRequest {
    async fn act(self, service: &Service, caller: &Caller) -> Result<Response, Problem> {
        let (work, token) = holding(service, caller, &self.work, self.token).await?;
        let work_id = work.id;
        let loaded = caller.namespace.callers.load_cursor(work, token).await;
        let (verdict, cursor) = (CursorWord::Loaded, loaded.map_err(|error| problem(error, work_id))?);
        Ok(success(Success::Done, CursorAnswer { verdict, work_id, cursor }))
    }
}
