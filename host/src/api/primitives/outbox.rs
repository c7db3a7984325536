//! `enqueue`: a row for a destination.

use crate::api::auth::Caller;
use crate::api::error::{Kind, Problem, Success, success};
use crate::api::primitives::problem::problem;
use crate::api::primitives::{Primitive, holding};
use crate::api::service::Service;
use crate::identity::key::{RowId, WorkId};
use crate::runtime::row::RowDraft;
use crate::store::outbox::{Approval, Enqueued, RowState};
use axum::response::Response;
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use utoipa::ToSchema;

/// A row.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct EnqueueRequest {
    /// The work's id, its beginning, or the readable key.
    work: String,
    /// The token that `claim` gave.
    token: i64,
    /// The destination by the operator's name.
    destination: String,
    /// The effect's name within the work: one slot of a destination is one row, at whichever attempt.
    slot: String,
    /// The effect's own version; 1 where it is left out. Another one is another effect.
    #[serde(default = "first_version")]
    effect_version: u32,
    /// What is sent, to the byte: any JSON value.
    #[schema(value_type = Object)]
    payload: Box<RawValue>,
    /// Rows of one destination with the same key leave in the order in which they were enqueued.
    ordering_key: Option<String>,
    /// Where a person must approve it first.
    approval: Option<ApprovalRequest>,
    /// The step of the host that goes on from the receipt.
    receipt_step: Option<String>,
}

const fn first_version() -> u32 {
    1
}

/// What a person is asked to approve.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct ApprovalRequest {
    /// Why a person is asked.
    reason: String,
    /// How long it can be approved, in milliseconds; for ever where it is left out.
    expires_after_ms: Option<u64>,
}

/// What became of it.
#[derive(Clone, Copy, Debug, Serialize, ToSchema)]
#[serde(rename_all = "kebab-case")]
pub(super) enum EnqueueWord {
    /// The row is there, from now on or from before.
    Enqueued,
}

/// A row that is there.
#[derive(Debug, Serialize, ToSchema)]
pub(super) struct EnqueueAnswer {
    /// What became of it.
    verdict: EnqueueWord,
    /// The work, in 64 hexadecimal digits.
    work_id: WorkId,
    /// The row, which is also the idempotency key that goes out. Where a person has edited it, the edited one.
    row_id: RowId,
    /// Where it stands.
    state: RowState,
}

impl Primitive for EnqueueRequest {
    async fn act(self, service: &Service, caller: &Caller) -> Result<Response, Problem> {
        let (work, token) = holding(service, caller, &self.work, self.token).await?;
        let work_id = work.id;
        let draft = RowDraft {
            destination: self.destination,
            slot: self.slot,
            effect_version: self.effect_version,
            payload: self.payload.get().to_owned(),
            ordering_key: self.ordering_key,
            approval: self.approval.map(Approval::from),
            receipt_step: self.receipt_step,
        };
        let enqueued = caller.namespace.callers.enqueue(work, token, draft).await;
        match enqueued.map_err(|error| problem(error, work_id))? {
            Enqueued::There { id, state } => {
                let (verdict, row_id) = (EnqueueWord::Enqueued, id);
                Ok(success(Success::Done, EnqueueAnswer { verdict, work_id, row_id, state }))
            }
            Enqueued::Conflict { id } => {
                let detail = format!("enqueuing a row: {id} exists with another payload, which stands");
                let remedy = "take another slot or `effect_version` for another effect";
                Err(Problem::new(Kind::RowConflict, detail).work(work_id).remedy(remedy))
            }
        }
    }
}

impl From<ApprovalRequest> for Approval {
    fn from(asked: ApprovalRequest) -> Self {
        let expires_after_ms = asked.expires_after_ms.map(|ms| i64::try_from(ms).unwrap_or(i64::MAX));
        Self { reason: asked.reason, expires_after_ms }
    }
}
