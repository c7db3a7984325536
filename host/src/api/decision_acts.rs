//! What people say about a decision: the step may have the answer, may not have it, or the model is asked anew.
//!
//! Whoever has seen a revision or an answer can name it; where it is another one by now, nothing is changed.

use crate::api::action::ActionKey;
use crate::api::auth::{Caller, Said};
use crate::api::body::JsonBody;
use crate::api::decisions::unknown;
use crate::api::error::{Kind, Problem, ProblemBody};
use crate::api::extract::Segment;
use crate::api::service::Service;
use crate::api::works;
use crate::identity::key::{AnswerHash, WorkId};
use crate::identity::time;
use crate::store::slot::{Seen, SlotApproval, SlotDecided, SlotDecision, SlotRef};
use crate::store::work::WorkState;
use axum::Json;
use axum::extract::State;
use serde::{Deserialize, Serialize};
use std::sync::Arc;
use utoipa::ToSchema;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

/// The routes that let answers through, or stop them.
pub(super) fn approve_routes() -> OpenApiRouter<Arc<Service>> {
    OpenApiRouter::new().routes(routes!(approve)).routes(routes!(reject))
}

/// The route that has a model asked anew.
pub(super) fn renew_routes() -> OpenApiRouter<Arc<Service>> {
    OpenApiRouter::new().routes(routes!(renew))
}

/// A person's word about a decision. What is named of it must still be so.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct DecideSlot {
    /// The revision that was looked at.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub revision: Option<u32>,
    /// The hash of the answer that was looked at.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub answer_hash: Option<AnswerHash>,
    /// A person's name. With a token it is the token's to say, and this may be left out.
    #[serde(default)]
    pub by: Option<String>,
    /// Why, for those who read the evidence.
    pub why: String,
}

/// What became of a person's word.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
pub struct DecidedSlot {
    /// `applied`, or `already` where the same was said before.
    pub verdict: String,
    /// The work.
    pub work_id: WorkId,
    /// The decision's name within it.
    pub slot: String,
    /// `approved`, `rejected` or `renewed`.
    pub decision: String,
    /// Where the work stands now, where this has moved it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub work_state: Option<WorkState>,
}

/// Let the step have an answer that waits for approval.
#[utoipa::path(
    post, path = "/v1/decisions/{work}/{slot}/approve", tag = "operate", security(("token" = [])),
    params(
        ("work" = String, Path, description = "The id, its beginning, or the readable key"),
        ("slot" = String, Path, description = "The decision's name within the work"),
        ActionKey,
    ),
    request_body = DecideSlot,
    responses(
        (status = 200, body = DecidedSlot, description = "The work goes on; or the same was said before"),
        (status = 403, body = ProblemBody, description = "The token can't approve: an agent's never does"),
        (status = 404, body = ProblemBody, description = "There is no such work, or no such decision"),
        (status = 409, body = ProblemBody, description = "It is another answer than was seen, nobody waits for it, or its time is over"),
    )
)]
async fn approve(
    State(service): State<Arc<Service>>,
    caller: Caller,
    key: ActionKey,
    Segment(slot): Segment<(String, String)>,
    JsonBody(asked): JsonBody<DecideSlot>,
) -> Result<Json<DecidedSlot>, Problem> {
    decide(&service, &caller, slot, SlotDecision::Approve, asked, key).await
}

/// Stop an answer that waits for approval: the step is told so, and may go on without it.
#[utoipa::path(
    post, path = "/v1/decisions/{work}/{slot}/reject", tag = "operate", security(("token" = [])),
    params(
        ("work" = String, Path, description = "The id, its beginning, or the readable key"),
        ("slot" = String, Path, description = "The decision's name within the work"),
        ActionKey,
    ),
    request_body = DecideSlot,
    responses(
        (status = 200, body = DecidedSlot, description = "The work goes on without it; or the same was said before"),
        (status = 403, body = ProblemBody, description = "The token can't approve: an agent's never does"),
        (status = 404, body = ProblemBody, description = "There is no such work, or no such decision"),
        (status = 409, body = ProblemBody, description = "It is another answer than was seen, or nobody waits for it"),
    )
)]
async fn reject(
    State(service): State<Arc<Service>>,
    caller: Caller,
    key: ActionKey,
    Segment(slot): Segment<(String, String)>,
    JsonBody(asked): JsonBody<DecideSlot>,
) -> Result<Json<DecidedSlot>, Problem> {
    decide(&service, &caller, slot, SlotDecision::Reject, asked, key).await
}

/// Have the model asked anew, even though the question has an answer; refused once effects of it have been committed.
#[utoipa::path(
    post, path = "/v1/decisions/{work}/{slot}/renew", tag = "operate", security(("token" = [])),
    params(
        ("work" = String, Path, description = "The id, its beginning, or the readable key"),
        ("slot" = String, Path, description = "The decision's name within the work"),
        ActionKey,
    ),
    request_body = DecideSlot,
    responses(
        (status = 200, body = DecidedSlot, description = "The next run asks anew"),
        (status = 404, body = ProblemBody, description = "There is no such work, or no such decision"),
        (status = 409, body = ProblemBody, description = "It is another answer than was seen, or effects of it have been committed"),
    )
)]
async fn renew(
    State(service): State<Arc<Service>>,
    caller: Caller,
    key: ActionKey,
    Segment(slot): Segment<(String, String)>,
    JsonBody(asked): JsonBody<DecideSlot>,
) -> Result<Json<DecidedSlot>, Problem> {
    decide(&service, &caller, slot, SlotDecision::Renew, asked, key).await
}

async fn decide(
    service: &Service,
    caller: &Caller,
    (text, slot): (String, String),
    decision: fn(Seen) -> SlotDecision,
    asked: DecideSlot,
    ActionKey(action): ActionKey,
) -> Result<Json<DecidedSlot>, Problem> {
    let DecideSlot { revision, answer_hash, by, why } = asked;
    let actor = caller.actor(Said { by, why }, action)?;
    let decision = decision(Seen { revision, answer: answer_hash });
    let work = works::find(service, caller, &text).await?;
    let work_id = work.id;
    let of = SlotRef { work, slot: slot.clone() };
    let (verdict, work_state) = match service.store.decision_decide(of, decision, actor).await? {
        SlotDecided::Applied { work } => ("applied", Some(work)),
        SlotDecided::Already => ("already", None),
        refused => return Err(refusal(work_id, &slot, refused)),
    };
    let (verdict, decision) = (verdict.to_owned(), word(&decision).to_owned());
    Ok(Json(DecidedSlot { verdict, work_id, slot, decision, work_state }))
}

const fn word(decision: &SlotDecision) -> &'static str {
    match decision {
        SlotDecision::Approve(_) => "approved",
        SlotDecision::Reject(_) => "rejected",
        SlotDecision::Renew(_) => "renewed",
    }
}

/// Why it can't be said, and what can be done instead.
fn refusal(work: WorkId, slot: &str, refused: SlotDecided) -> Problem {
    let of = |kind, why: &str, remedy: &str| {
        let detail =
            format!("deciding about the decision {slot:?} of the work {work}: {why}; nothing was changed");
        Problem::new(kind, detail).work(work).remedy(remedy)
    };
    let renew = "renew it to have it asked anew";
    match refused {
        SlotDecided::Changed { revision, answer } => of(
            Kind::Changed,
            &format!("it is revision {revision} with the answer {answer} now"),
            &format!("read it again: GET /v1/decisions/{work}, or `onceward decision show {work}`"),
        ),
        SlotDecided::NotAsked => of(
            Kind::WrongState,
            "no run waits for it",
            "the operator asks for approvals with `hold_decisions`, and `renew` has the model asked anew",
        ),
        SlotDecided::Contrary(SlotApproval::Approved { by, .. }) => {
            of(Kind::WrongState, &format!("it was approved by {by}"), renew)
        }
        SlotDecided::Contrary(_) => of(Kind::WrongState, "it was rejected", renew),
        SlotDecided::Expired(at_ms) => of(
            Kind::Expired,
            &format!("the request to approve it was open until {}", time::format_ms(at_ms)),
            "renew or reject it",
        ),
        SlotDecided::Committed => of(
            Kind::WrongState,
            "effects have been committed, which rest on it",
            "correct them where they are",
        ),
        SlotDecided::Refused(state) => of(
            Kind::WrongState,
            &format!("the work is {}, and this can't be said of such a work", state.word()),
            "see how it stands: GET /v1/works, or `onceward work show`",
        ),
        SlotDecided::Unknown | SlotDecided::Applied { .. } | SlotDecided::Already => unknown(work, slot),
    }
}
