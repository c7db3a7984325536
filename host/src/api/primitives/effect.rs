//! `record-effect`: it has happened.

use crate::api::auth::Caller;
use crate::api::error::{Kind, Problem, Success, success};
use crate::api::primitives::problem::problem;
use crate::api::primitives::{Primitive, holding};
use crate::api::service::Service;
use crate::identity::key::WorkId;
use crate::store::intent::{EffectRecord, Recorded};
use crate::store::work::WorkState;
use axum::response::Response;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// An effect that has happened.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct RecordEffectRequest {
    /// The work's id, its beginning, or the readable key.
    pub work: String,
    /// The token that `claim` gave.
    pub token: i64,
    /// The effect, as it was named before.
    pub effect: String,
    /// The id that the third party gave.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reference: Option<String>,
}

/// What became of the word.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "kebab-case")]
pub enum RecordEffectWord {
    /// It is on record.
    Recorded,
    /// It came after the end of the claim. It is kept, unfinished work is in doubt now, and the caller must not go on.
    Late,
}

/// An effect that is on record.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
pub struct RecordEffectAnswer {
    /// What became of the word.
    pub verdict: RecordEffectWord,
    /// The work, in 64 hexadecimal digits.
    pub work_id: WorkId,
    /// The effect.
    pub effect: String,
    /// The id that is on record.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reference: Option<String>,
    /// How the work stands, where the word was late.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub state: Option<WorkState>,
}

impl Primitive for RecordEffectRequest {
    async fn act(self, service: &Service, caller: &Caller) -> Result<Response, Problem> {
        let (work, token) = holding(service, caller, &self.work, self.token).await?;
        let (work_id, effect, asked) = (work.id, self.effect, self.reference);
        let record = EffectRecord { token, slot: effect.clone(), external_reference: asked.clone() };
        let recorded = caller.namespace.callers.record(work, record).await;
        let (verdict, reference, state) = match recorded.map_err(|error| problem(error, work_id))? {
            Recorded::Applied => (RecordEffectWord::Recorded, asked, None),
            Recorded::Already { external_reference: stands } if asked.is_none() || stands == asked => {
                (RecordEffectWord::Recorded, stands, None)
            }
            Recorded::Already { external_reference } => return Err(other(work_id, external_reference)),
            Recorded::Late { state } => (RecordEffectWord::Late, asked, Some(state)),
            Recorded::Unknown => {
                let token = self.token;
                let detail = format!(
                    "recording an effect: {work_id} is no work of an outside caller, or the token {token} was never given out for it"
                );
                return Err(
                    Problem::new(Kind::Invalid, detail).remedy("take both from the answer of the claim")
                );
            }
        };
        Ok(success(Success::Done, RecordEffectAnswer { verdict, work_id, effect, reference, state }))
    }
}

/// Something else is on record, and stands.
pub(super) fn other(work: WorkId, stands: Option<String>) -> Problem {
    let detail =
        format!("recording: the first record stands, with the reference {:?}", stands.unwrap_or_default());
    let remedy = "two references of one effect are two effects: look at the third party's side";
    Problem::new(Kind::AlreadyRecorded, detail).work(work).remedy(remedy)
}
