//! Pauses: stopping a destination, a step, the namespace or everything, and letting it go on.
//!
//! What is under way comes to its end; events are recorded and rows wait, and nothing is lost. Everything is everybody's, so
//! that an administrator alone may stop it.

use crate::api::action::ActionKey;
use crate::api::auth::{Caller, Said, usable};
use crate::api::body::JsonBody;
use crate::api::error::{Kind, Problem, ProblemBody};
use crate::api::service::Service;
use crate::store::operate::Actor;
use crate::store::pause::{Pause, PauseScope};
use crate::store::token::Verb;
use axum::Json;
use axum::extract::State;
use serde::{Deserialize, Serialize};
use std::sync::Arc;
use utoipa::ToSchema;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

/// The routes.
pub(super) fn routes() -> OpenApiRouter<Arc<Service>> {
    OpenApiRouter::new().routes(routes!(list, set)).routes(routes!(lift))
}

/// What is stopped.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
pub struct PauseList {
    /// In the namespace or altogether, oldest first.
    pub pauses: Vec<Pause>,
}

/// What to stop, or to let go on.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct PauseRequest {
    /// `destination`, `step`, `namespace` or `everything`.
    #[schema(example = "destination")]
    pub scope: String,
    /// The destination's or the step's name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// A person's name. With a token it is the token's to say, and this may be left out.
    #[serde(default)]
    pub by: Option<String>,
    /// Why, for those who read it.
    pub why: String,
}

/// What became of it.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
pub struct PauseActed {
    /// `applied`, or `already` where it was so before; the first cause stands then.
    pub verdict: String,
    /// What it is about.
    #[serde(flatten)]
    pub scope: PauseScope,
    /// Whether it is paused by itself now.
    pub paused: bool,
    /// What may be a slip of the hand.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub warning: Option<String>,
}

impl PauseActed {
    /// The verdict of an act that has changed something.
    pub const APPLIED: &str = "applied";
    /// The verdict where it was so before.
    pub const ALREADY: &str = "already";

    fn new(changed: bool, scope: PauseScope, paused: bool) -> Self {
        let verdict = if changed { Self::APPLIED } else { Self::ALREADY }.to_owned();
        Self { verdict, scope, paused, warning: None }
    }
}

impl PauseRequest {
    /// What is meant, and who says it, where they may.
    fn checked(self, caller: &Caller, key: Option<String>) -> Result<(PauseScope, Actor), Problem> {
        let scope = self.scope()?;
        may(caller, &scope)?;
        let Self { by, why, .. } = self;
        Ok((scope, caller.actor(Said { by, why }, key)?))
    }

    fn scope(&self) -> Result<PauseScope, Problem> {
        let refused = |detail: String, remedy: &str| {
            Err(Problem::new(Kind::Invalid, format!("reading `scope`: {detail}")).remedy(remedy))
        };
        let name = self.name.clone().unwrap_or_default();
        let Some(scope) = PauseScope::from_word(&self.scope, name.clone()) else {
            let detail = format!("{:?} can't be paused", self.scope);
            return refused(detail, "take destination, step, namespace or everything");
        };
        match scope {
            PauseScope::Destination(_) | PauseScope::Step(_) if name.trim().is_empty() => {
                refused(format!("a {} has a name", self.scope), "say which one in `name`")
            }
            PauseScope::Namespace | PauseScope::Everything if !name.is_empty() => {
                refused(format!("{} has no name", self.scope), "leave `name` out")
            }
            PauseScope::Destination(_) | PauseScope::Step(_) => usable("name", &name).map(|()| scope),
            PauseScope::Namespace | PauseScope::Everything => Ok(scope),
        }
    }
}

/// What is stopped, and why.
#[utoipa::path(
    get, path = "/v1/pauses", tag = "operate", security(("token" = [])),
    responses((status = 200, body = PauseList))
)]
async fn list(State(service): State<Arc<Service>>, caller: Caller) -> Result<Json<PauseList>, Problem> {
    Ok(Json(PauseList { pauses: service.store.pause_list(&caller.namespace.name).await? }))
}

/// Stop a destination, a step, the namespace, or everything of every namespace.
///
/// The verb `operate` is needed, and for everything `admin`.
#[utoipa::path(
    post, path = "/v1/pauses", tag = "operate", security(("token" = [])),
    params(ActionKey), request_body = PauseRequest,
    responses(
        (status = 200, body = PauseActed, description = "It is stopped"),
        (status = 403, body = ProblemBody, description = "Everything is an administrator's to stop"),
        (status = 422, body = ProblemBody, description = "There is no such destination; nobody is named, or no reason; or the key was used for another act"),
    )
)]
async fn set(
    State(service): State<Arc<Service>>,
    caller: Caller,
    ActionKey(key): ActionKey,
    JsonBody(asked): JsonBody<PauseRequest>,
) -> Result<Json<PauseActed>, Problem> {
    let (scope, actor) = asked.checked(&caller, key)?;
    refuse_unknown_destination(&caller, &scope)?;
    let warning = warning(&service, &caller, &scope).await?;
    let changed = service.store.pause_set(&caller.namespace.name, scope.clone(), actor).await?;
    Ok(Json(PauseActed { warning, ..PauseActed::new(changed, scope, true) }))
}

/// Let something go on that is stopped.
#[utoipa::path(
    post, path = "/v1/pauses/lift", tag = "operate", security(("token" = [])),
    params(ActionKey), request_body = PauseRequest,
    responses(
        (status = 200, body = PauseActed, description = "It goes on; or nothing was stopped"),
        (status = 403, body = ProblemBody, description = "Everything is an administrator's to let go on"),
        (status = 409, body = ProblemBody, description = "It is not stopped by itself, and something else is"),
        (status = 422, body = ProblemBody, description = "Nobody is named, or no reason; or the key was used for another act"),
    )
)]
async fn lift(
    State(service): State<Arc<Service>>,
    caller: Caller,
    ActionKey(key): ActionKey,
    JsonBody(asked): JsonBody<PauseRequest>,
) -> Result<Json<PauseActed>, Problem> {
    let (scope, actor) = asked.checked(&caller, key)?;
    let namespace = &caller.namespace.name;
    let changed = service.store.pause_lift(namespace, scope.clone(), actor).await?;
    if !changed && !service.store.pause_list(namespace).await?.is_empty() {
        let detail =
            format!("letting {} go on: it is not paused by itself; nothing was changed", scope.words());
        return Err(Problem::new(Kind::WrongState, detail)
            .remedy("see what is: GET /v1/pauses, or `onceward pause list`"));
    }
    Ok(Json(PauseActed::new(changed, scope, false)))
}

fn may(caller: &Caller, scope: &PauseScope) -> Result<(), Problem> {
    caller.require(match scope {
        PauseScope::Everything => &[Verb::Admin],
        PauseScope::Destination(_) | PauseScope::Step(_) | PauseScope::Namespace => &[Verb::Operate],
    })
}

/// A name that was mistyped would stop nothing, and nobody would notice.
fn refuse_unknown_destination(caller: &Caller, scope: &PauseScope) -> Result<(), Problem> {
    match scope {
        PauseScope::Destination(name) if !caller.namespace.row_terms.contains_key(name) => {
            Err(Problem::new(Kind::Invalid, format!("pausing {name:?}: no such destination is configured"))
                .remedy("see GET /v1/destinations, or `onceward destination list`"))
        }
        _ => Ok(()),
    }
}

/// The same for a step. It is paused all the same: it may be one that has not been here yet.
async fn warning(service: &Service, caller: &Caller, scope: &PauseScope) -> Result<Option<String>, Problem> {
    let PauseScope::Step(name) = scope else { return Ok(None) };
    let known = service.store.step_list(&caller.namespace.name).await?;
    Ok((!known.contains(name)).then(|| {
        format!(
            "no step {name:?} has run here so far, and a name that was mistyped stops nothing; the steps are: {}",
            known.join(", ")
        )
    }))
}
