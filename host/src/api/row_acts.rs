//! What a person decides about a row that can't go on by itself, or shall not; one row or many.

use crate::api::action::{ActionKey, wrong_state};
use crate::api::auth::{Caller, Said, usable};
use crate::api::body::JsonBody;
use crate::api::bulk::{BulkActed, LIMIT_DEFAULT, Spread, in_batches};
use crate::api::error::{Kind, Problem, ProblemBody};
use crate::api::extract::Segment;
use crate::api::rows::{find, unknown};
use crate::api::service::Service;
use crate::identity::key::RowId;
use crate::store::bulk::RowChoice;
use crate::store::operate::{Decided, RowDecision};
use crate::store::outbox::{RowRef, RowState};
use axum::Json;
use axum::extract::State;
use serde::{Deserialize, Serialize};
use std::sync::Arc;
use utoipa::ToSchema;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

/// The routes.
pub(super) fn routes() -> OpenApiRouter<Arc<Service>> {
    OpenApiRouter::new().routes(routes!(cancel)).routes(routes!(resolve)).routes(routes!(resolve_many))
}

/// What became of an act.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
pub struct RowActed {
    /// Always `applied`.
    pub verdict: String,
    /// The row.
    pub row_id: RowId,
    /// Where it stands now.
    pub state: RowState,
}

/// What happened to a row, or shall happen.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "kebab-case")]
pub enum RowResolution {
    /// It has been applied at the destination.
    Sent,
    /// It has not been applied: send it again.
    Again,
    /// The destination can tell: it knows a repeat, or can be asked. Where it can't, the row is in doubt again.
    Check,
    /// It shall not go out.
    Cancel,
}

impl RowResolution {
    /// The decision, with the reference that was said beside it.
    fn decision(self, reference: Option<String>) -> Result<RowDecision, Problem> {
        if let Some(reference) = &reference {
            usable("reference", reference)?;
        }
        match (self, reference) {
            (Self::Sent, external_reference) => Ok(RowDecision::Sent { external_reference }),
            (Self::Again, None) => Ok(RowDecision::Again { due_in_ms: 0 }),
            (Self::Check, None) => Ok(RowDecision::Check { due_in_ms: 0 }),
            (Self::Cancel, None) => Ok(RowDecision::Cancel),
            (Self::Again | Self::Check | Self::Cancel, Some(_)) => {
                let detail = "resolving a row: `reference` goes with `sent` alone";
                Err(Problem::new(Kind::Invalid, detail).remedy("leave it out"))
            }
        }
    }
}

/// A person's word about a row.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct ResolveRow {
    /// What happened, or shall happen.
    pub r#as: RowResolution,
    /// With `sent`: the id that the destination gave.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reference: Option<String>,
    /// A person's name. With a token it is the token's to say, and this may be left out.
    #[serde(default)]
    pub by: Option<String>,
    /// Why, for those who read the evidence.
    pub why: String,
}

/// Which rows, what happened to them, how many of them, and how fast.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct ResolveRows {
    /// In this state.
    #[serde(default = "blocked")]
    pub state: RowState,
    /// Only for this destination.
    #[serde(default)]
    pub destination: Option<String>,
    /// Only those whose cause holds this text.
    #[serde(default)]
    pub cause: Option<String>,
    /// What happened, or shall happen; not `sent`, since each has a reference of its own.
    pub r#as: RowResolution,
    /// Say how many there are, and change nothing.
    #[serde(default)]
    pub dry_run: bool,
    /// At most so many, the oldest first.
    #[serde(default = "limit")]
    pub limit: u32,
    /// What goes out again is due so many milliseconds after the one before it.
    #[serde(default)]
    pub every_ms: u64,
    /// A person's name. With a token it is the token's to say, and this may be left out.
    #[serde(default)]
    pub by: Option<String>,
    /// Why, for those who read the evidence.
    pub why: String,
}

const fn blocked() -> RowState {
    RowState::Blocked
}

const fn limit() -> u32 {
    LIMIT_DEFAULT
}

/// Stop a row that has not gone out: held, suppressed, pending, blocked or in doubt.
#[utoipa::path(
    post, path = "/v1/rows/{row}/cancel", tag = "operate", security(("token" = [])),
    params(("row" = String, Path, description = "The id, or its beginning"), ActionKey),
    request_body = Said,
    responses(
        (status = 200, body = RowActed, description = "It is cancelled"),
        (status = 404, body = ProblemBody, description = "There is no such row"),
        (status = 409, body = ProblemBody, description = "It is in another state: it has gone out, for example"),
        (status = 422, body = ProblemBody, description = "Nobody is named, or no reason; or the key was used for another act"),
    )
)]
async fn cancel(
    State(service): State<Arc<Service>>,
    caller: Caller,
    key: ActionKey,
    Segment(text): Segment<String>,
    JsonBody(said): JsonBody<Said>,
) -> Result<Json<RowActed>, Problem> {
    decide(&service, &caller, &text, RowDecision::Cancel, said, key).await
}

/// Say what happened to a row that is blocked or in doubt.
#[utoipa::path(
    post, path = "/v1/rows/{row}/resolve", tag = "operate", security(("token" = [])),
    params(("row" = String, Path, description = "The id, or its beginning"), ActionKey),
    request_body = ResolveRow,
    responses(
        (status = 200, body = RowActed, description = "It is sent, pending or cancelled; or held, where nobody has approved it"),
        (status = 404, body = ProblemBody, description = "There is no such row"),
        (status = 409, body = ProblemBody, description = "This can't be said in its state"),
        (status = 422, body = ProblemBody, description = "Nobody is named, or no reason; or the key was used for another act"),
    )
)]
async fn resolve(
    State(service): State<Arc<Service>>,
    caller: Caller,
    key: ActionKey,
    Segment(text): Segment<String>,
    JsonBody(resolve): JsonBody<ResolveRow>,
) -> Result<Json<RowActed>, Problem> {
    let ResolveRow { r#as: resolution, reference, by, why } = resolve;
    decide(&service, &caller, &text, resolution.decision(reference)?, Said { by, why }, key).await
}

async fn decide(
    service: &Service,
    caller: &Caller,
    text: &str,
    decision: RowDecision,
    said: Said,
    ActionKey(action): ActionKey,
) -> Result<Json<RowActed>, Problem> {
    let actor = caller.actor(said, action)?;
    let id = find(service, caller, text).await?.row_id;
    let row = RowRef { namespace: caller.namespace.name.clone(), id };
    let from = decision.from_states();
    match service.store.outbox_decide(row, decision, actor).await? {
        Decided::Applied | Decided::Asked => {
            // A row that nobody has approved is held again, where another one is pending.
            let state = find(service, caller, &id.to_string()).await?.state;
            Ok(Json(RowActed { verdict: "applied".to_owned(), row_id: id, state }))
        }
        Decided::Refused(state) => {
            Err(wrong_state("row", id, state.word(), from.iter().copied().map(RowState::word)))
        }
        Decided::Unknown => Err(unknown(text)),
    }
}

/// Decide alike about many rows, each under its own id; what goes out again is spread in time.
#[utoipa::path(
    post, path = "/v1/rows/resolve", tag = "operate", security(("token" = [])),
    params(ActionKey), request_body = ResolveRows,
    responses(
        (status = 200, body = BulkActed, description = "So many were decided about; or how many would be"),
        (status = 422, body = ProblemBody, description = "This can't be said of such rows, or a number is out of bounds"),
    )
)]
async fn resolve_many(
    State(service): State<Arc<Service>>,
    caller: Caller,
    ActionKey(key): ActionKey,
    JsonBody(asked): JsonBody<ResolveRows>,
) -> Result<Json<BulkActed>, Problem> {
    let ResolveRows { state, destination, cause, r#as: resolution, dry_run, limit, every_ms, by, why } =
        asked;
    let spread = Spread { limit, every_ms }.check()?;
    let actor = caller.actor(Said { by, why }, key)?;
    if resolution == RowResolution::Sent {
        let detail = "deciding about rows: `sent` takes one row, since each has a reference of its own";
        return Err(Problem::new(Kind::Invalid, detail).remedy("take `again`, `check` or `cancel` for many"));
    }
    let decision = resolution.decision(None)?;
    if !decision.from_states().contains(&state) {
        let from: Vec<_> = decision.from_states().iter().copied().map(RowState::word).collect();
        let detail = format!(
            "deciding about rows: this can be said of those that are {}, and not of {}; nothing was changed",
            from.join(" or "),
            state.word()
        );
        return Err(Problem::new(Kind::Invalid, detail));
    }
    let choice = RowChoice { namespace: caller.namespace.name.clone(), state, destination, cause };
    let store = &service.store;
    let decided = if dry_run {
        0
    } else {
        in_batches(spread, &actor, |batch, actor| {
            store.outbox_decide_all(choice.clone(), decision.clone(), batch, actor)
        })
        .await?
    };
    Ok(Json(BulkActed { dry_run, decided, left: store.outbox_choose_count(choice).await? }))
}
