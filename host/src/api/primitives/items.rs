//! `claim-items` and `record-item`: a batch, item by item.

use crate::api::auth::Caller;
use crate::api::error::{Kind, Problem, Success, success};
use crate::api::primitives::effect::other;
use crate::api::primitives::problem::problem;
use crate::api::primitives::{Primitive, holding};
use crate::api::service::Service;
use crate::identity::key::WorkId;
use crate::store::item::{ItemEffect, ItemRecorded, ItemVerdict};
use axum::response::Response;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// Items that the caller wants to do.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct ClaimItemsRequest {
    /// The work's id, its beginning, or the readable key.
    work: String,
    /// The token that `claim` gave.
    token: i64,
    /// The items' keys, 1000 at most. They belong to the scope of the work.
    #[schema(max_items = 1000)]
    items: Vec<String>,
}

/// What was done with the list.
#[derive(Clone, Copy, Debug, Serialize, ToSchema)]
#[serde(rename_all = "kebab-case")]
pub(super) enum ClaimItemsWord {
    /// Each item says how it stands.
    Claimed,
}

/// How the items stand.
#[derive(Debug, Serialize, ToSchema)]
pub(super) struct ClaimItemsAnswer {
    /// What was done with the list.
    verdict: ClaimItemsWord,
    /// The work, in 64 hexadecimal digits.
    work_id: WorkId,
    /// Each item, in order.
    items: Vec<ItemAnswer>,
}

/// How an item stands.
#[derive(Clone, Copy, Debug, Serialize, ToSchema)]
#[serde(rename_all = "kebab-case")]
pub(super) enum ItemWord {
    /// It is the caller's to do.
    Acquired,
    /// It has been done.
    Done,
    /// Another claim holds it, or an earlier entry of the list.
    InProgress,
}

/// An item.
#[derive(Debug, Serialize, ToSchema)]
pub(super) struct ItemAnswer {
    /// Its key.
    item: String,
    /// How it stands.
    verdict: ItemWord,
    /// The id that the third party gave, where it is done.
    #[serde(skip_serializing_if = "Option::is_none")]
    reference: Option<String>,
}

/// An item that has been done.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct RecordItemRequest {
    /// The work's id, its beginning, or the readable key.
    work: String,
    /// The token that `claim` gave.
    token: i64,
    /// The item's key.
    item: String,
    /// The id that the third party gave.
    reference: Option<String>,
}

/// What became of the word.
#[derive(Clone, Copy, Debug, Serialize, ToSchema)]
#[serde(rename_all = "kebab-case")]
pub(super) enum RecordItemWord {
    /// It is on record.
    Recorded,
}

/// An item that is on record.
#[derive(Debug, Serialize, ToSchema)]
pub(super) struct RecordItemAnswer {
    /// What became of the word.
    verdict: RecordItemWord,
    /// The work, in 64 hexadecimal digits.
    work_id: WorkId,
    /// The item's key.
    item: String,
    /// The id that is on record.
    #[serde(skip_serializing_if = "Option::is_none")]
    reference: Option<String>,
}

impl Primitive for ClaimItemsRequest {
    async fn act(self, service: &Service, caller: &Caller) -> Result<Response, Problem> {
        let (work, token) = holding(service, caller, &self.work, self.token).await?;
        let (work_id, keys) = (work.id, self.items);
        let claimed = caller.namespace.callers.claim_items(work, token, keys.clone()).await;
        let claimed = claimed.map_err(|error| problem(error, work_id))?;
        let items =
            keys.into_iter().zip(claimed).map(|(item, verdict)| ItemAnswer::new(item, verdict)).collect();
        let verdict = ClaimItemsWord::Claimed;
        Ok(success(Success::Done, ClaimItemsAnswer { verdict, work_id, items }))
    }
}

impl ItemAnswer {
    fn new(item: String, verdict: ItemVerdict) -> Self {
        let (verdict, reference) = match verdict {
            ItemVerdict::Acquired => (ItemWord::Acquired, None),
            ItemVerdict::Done(reference) => (ItemWord::Done, reference),
            ItemVerdict::InProgress => (ItemWord::InProgress, None),
        };
        Self { item, verdict, reference }
    }
}

impl Primitive for RecordItemRequest {
    async fn act(self, service: &Service, caller: &Caller) -> Result<Response, Problem> {
        let (work, token) = holding(service, caller, &self.work, self.token).await?;
        let (work_id, item, asked) = (work.id, self.item, self.reference);
        let effect = ItemEffect { key: item.clone(), external_reference: asked.clone() };
        let recorded = caller.namespace.callers.record_item(work, token, effect).await;
        let reference = match recorded.map_err(|error| problem(error, work_id))? {
            ItemRecorded::Applied => asked,
            ItemRecorded::Already { external_reference: stands } if asked.is_none() || stands == asked => {
                stands
            }
            ItemRecorded::Already { external_reference } => return Err(other(work_id, external_reference)),
            ItemRecorded::NotHeld => {
                let detail = format!(
                    "recording an item: {item:?} is not held under this claim; the word is kept as evidence"
                );
                let remedy = "claim it first; where it was done after its claim had ended, look whether it was done twice";
                return Err(Problem::new(Kind::NotClaimed, detail).work(work_id).remedy(remedy));
            }
        };
        let verdict = RecordItemWord::Recorded;
        Ok(success(Success::Done, RecordItemAnswer { verdict, work_id, item, reference }))
    }
}
