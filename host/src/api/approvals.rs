//! Held rows: a person lets one go out exactly as it was seen, or gives it another payload.
//!
//! Approving is a person's, whom the token names. An edit is no approval: its row is a new revision, which is held in its turn.

use crate::api::action::ActionKey;
use crate::api::auth::{Caller, Said};
use crate::api::body::JsonBody;
use crate::api::error::{Kind, Problem, ProblemBody};
use crate::api::extract::Segment;
use crate::api::rows::{find, unknown};
use crate::api::service::Service;
use crate::identity::json_text;
use crate::identity::key::RowId;
use crate::identity::time;
use crate::identity::work_id::row_payload_hash;
use crate::store::approval::{Approved, Edit, Edited};
use crate::store::outbox::{OutboxRow, RowRef, RowState};
use axum::Json;
use axum::extract::State;
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use std::sync::Arc;
use utoipa::ToSchema;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

/// The routes that let rows go out.
pub(super) fn approve_routes() -> OpenApiRouter<Arc<Service>> {
    OpenApiRouter::new().routes(routes!(approve))
}

/// The routes that do not.
pub(super) fn edit_routes() -> OpenApiRouter<Arc<Service>> {
    OpenApiRouter::new().routes(routes!(edit))
}

/// An approval.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct ApproveRow {
    /// The hash of the payload that was looked at; with another one nothing is approved.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<String>, pattern = "^[0-9a-f]{64}$")]
    pub payload_hash: Option<RowId>,
    /// A person's name. With a token it is the token's to say, and this may be left out.
    #[serde(default)]
    pub by: Option<String>,
    /// Why, for those who read the evidence.
    pub why: String,
}

/// What became of an approval.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
pub struct ApprovedRow {
    /// `applied`, or `already` where somebody approved it before.
    pub verdict: String,
    /// The row.
    pub row_id: RowId,
    /// Who approved it before.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub approved_by: Option<String>,
    /// When that was, Unix milliseconds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub approved_ms: Option<i64>,
}

/// Another payload for a held row.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct EditRow {
    /// What will be sent, to the byte: any JSON value.
    #[schema(value_type = Object)]
    pub payload: Box<RawValue>,
    /// A person's name. With a token it is the token's to say, and this may be left out.
    #[serde(default)]
    pub by: Option<String>,
    /// Why, for those who read the evidence.
    pub why: String,
}

/// What became of an edit.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
pub struct EditedRow {
    /// `applied`, or `unchanged` where the row has this payload already.
    pub verdict: String,
    /// The live row: the new revision, or the one that stays.
    pub row_id: RowId,
    /// Its number.
    pub revision: u32,
    /// Where it stands: held, or suppressed where another row says the same.
    pub state: RowState,
    /// The revision whose place it took.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub supersedes: Option<RowId>,
}

/// Let a held row go out, exactly as it is. Each revision has an id of its own.
#[utoipa::path(
    post, path = "/v1/rows/{row}/approve", tag = "operate", security(("token" = [])),
    params(("row" = String, Path, description = "The id, or its beginning"), ActionKey),
    request_body = ApproveRow,
    responses(
        (status = 200, body = ApprovedRow, description = "It goes out; or somebody approved it before"),
        (status = 403, body = ProblemBody, description = "The token can't approve: an agent's never does"),
        (status = 404, body = ProblemBody, description = "There is no such row"),
        (status = 409, body = ProblemBody, description = "It is another payload than was seen, it waits for no approval, or its time is over"),
        (status = 422, body = ProblemBody, description = "Nobody is named, or no reason; or the key was used for another act"),
    )
)]
async fn approve(
    State(service): State<Arc<Service>>,
    caller: Caller,
    ActionKey(key): ActionKey,
    Segment(text): Segment<String>,
    JsonBody(asked): JsonBody<ApproveRow>,
) -> Result<Json<ApprovedRow>, Problem> {
    let ApproveRow { payload_hash, by, why } = asked;
    let actor = caller.actor(Said { by, why }, key)?;
    let id = find(&service, &caller, &text).await?.row_id;
    let row = RowRef { namespace: caller.namespace.name.clone(), id };
    let hash = payload_hash.map(|hash| *hash.as_bytes());
    let approved = |verdict: &str, by, at_ms| {
        let verdict = verdict.to_owned();
        Ok(Json(ApprovedRow { verdict, row_id: id, approved_by: by, approved_ms: at_ms }))
    };
    match service.store.outbox_approve(row, hash, actor).await? {
        Approved::Applied => approved("applied", None, None),
        Approved::Already { by, at_ms } => approved("already", Some(by), Some(at_ms)),
        Approved::OtherPayload { payload_hash } => {
            let stands = RowId::from_bytes(payload_hash);
            let detail = format!(
                "approving the row {id}: its payload has the hash {stands}, and not the one that was given; nothing was approved"
            );
            let remedy = format!("look at it again: GET /v1/rows/{id}, or `onceward outbox show {id}`");
            Err(Problem::new(Kind::Changed, detail).remedy(remedy))
        }
        Approved::Superseded { by } => Err(superseded("approving", id, by)),
        Approved::Expired { at_ms } => Err(expired("approving", id, at_ms)),
        Approved::Refused(state) => {
            let state = state.word();
            let detail = format!(
                "approving the row {id}: it is {state}, and waits for no approval; nothing was changed"
            );
            Err(Problem::new(Kind::WrongState, detail))
        }
        Approved::Unknown => Err(unknown(&text)),
    }
}

/// Give a held row another payload: a new revision, which needs an approval of its own.
#[utoipa::path(
    post, path = "/v1/rows/{row}/edit", tag = "operate", security(("token" = [])),
    params(("row" = String, Path, description = "The id, or its beginning"), ActionKey),
    request_body = EditRow,
    responses(
        (status = 200, body = EditedRow, description = "The new revision is held; or the row has this payload already"),
        (status = 404, body = ProblemBody, description = "There is no such row"),
        (status = 409, body = ProblemBody, description = "It was edited before, is not held, or its time is over"),
        (status = 422, body = ProblemBody, description = "Nobody is named, or no reason; or the key was used for another act"),
    )
)]
async fn edit(
    State(service): State<Arc<Service>>,
    caller: Caller,
    ActionKey(key): ActionKey,
    Segment(text): Segment<String>,
    JsonBody(asked): JsonBody<EditRow>,
) -> Result<Json<EditedRow>, Problem> {
    let EditRow { payload, by, why } = asked;
    let actor = caller.actor(Said { by, why }, key)?;
    let old = find(&service, &caller, &text).await?;
    let id = old.row_id;
    let edit = new_payload(&caller, &old, payload.get())?;
    let row = RowRef { namespace: caller.namespace.name.clone(), id };
    match service.store.outbox_edit(row, edit, actor).await? {
        Edited::Applied { row, revision, state } => {
            let verdict = "applied".to_owned();
            Ok(Json(EditedRow { verdict, row_id: row, revision, state, supersedes: Some(id) }))
        }
        Edited::Unchanged => {
            let (verdict, revision, state) = ("unchanged".to_owned(), old.revision, old.state);
            Ok(Json(EditedRow { verdict, row_id: id, revision, state, supersedes: None }))
        }
        Edited::Superseded { by } => Err(superseded("editing", id, by)),
        Edited::Expired { at_ms } => Err(expired("editing", id, at_ms)),
        Edited::Refused(state) => {
            let state = state.word();
            let detail = format!(
                "editing the row {id}: it is {state}, and only a held row can be edited; nothing was changed"
            );
            Err(Problem::new(Kind::WrongState, detail))
        }
        Edited::Unknown => Err(unknown(&text)),
    }
}

fn new_payload(caller: &Caller, row: &OutboxRow, payload: &str) -> Result<Edit, Problem> {
    let value = json_text::parse(payload).map_err(|error| Problem::of(Kind::BadJson, &error))?;
    let sameness = caller.namespace.row_terms.get(&row.destination).and_then(|terms| terms.sameness.as_ref());
    Ok(Edit {
        payload_hash: row_payload_hash(&value),
        same: sameness.and_then(|rule| rule.of(&value)),
        payload: payload.to_owned(),
    })
}

fn superseded(doing: &str, row: RowId, by: RowId) -> Problem {
    let detail = format!("{doing} the row {row}: it was edited meanwhile, and is superseded by {by}");
    let remedy = format!("look at its successor: GET /v1/rows/{by}, or `onceward outbox show {by}`");
    Problem::new(Kind::Changed, detail).remedy(remedy)
}

fn expired(doing: &str, row: RowId, at_ms: i64) -> Problem {
    let at = time::format_ms(at_ms);
    let detail = format!(
        "{doing} the row {row}: the time for an approval ended at {at}; it is cancelled with the next delivery"
    );
    Problem::new(Kind::Expired, detail).remedy("have its step enqueue it anew, where it is still wanted")
}
