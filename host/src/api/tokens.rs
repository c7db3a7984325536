//! Tokens: who may ask this host for what.
//!
//! A token is shown once, by the answer that makes it; nothing else of the API ever has it or its hash. It opens the namespace
//! of whoever makes it. Who asks never becomes part of an identity, so that a token can be replaced at any time: make another,
//! and revoke the old one.

use crate::api::action::ActionKey;
use crate::api::auth::{Caller, Said, new_token, usable};
use crate::api::body::JsonBody;
use crate::api::error::{Kind, Problem, ProblemBody};
use crate::api::extract::Segment;
use crate::api::service::Service;
use crate::identity::key::digest;
use crate::store::token;
use crate::store::token::{NewToken, TokenCreated, TokenRecord, VerbSet};
use axum::Json;
use axum::extract::State;
use serde::{Deserialize, Serialize};
use std::sync::Arc;
use utoipa::ToSchema;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

/// Hexadecimal digits of a token's id: enough that no two of a namespace are alike by chance.
const ID_DIGITS: usize = 12;

/// The label under which the key of an action becomes the id of the token that it makes.
const ID_LABEL: &str = "onceward/token-id";

/// The routes.
pub(super) fn routes() -> OpenApiRouter<Arc<Service>> {
    OpenApiRouter::new().routes(routes!(list, create)).routes(routes!(revoke))
}

/// A token to be made.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct CreateToken {
    /// What it is for.
    pub name: String,
    /// What can be done with it.
    pub verbs: VerbSet,
    /// The person who uses it; one that can approve must name them. Acts with it are this person's.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub person: Option<String>,
    /// Who makes it. With a token it is the token's to say, and this may be left out.
    #[serde(default)]
    pub by: Option<String>,
    /// Why, for those who read the record.
    pub why: String,
}

/// A token that was made.
#[derive(Clone, Serialize, Deserialize, ToSchema)]
pub struct CreatedToken {
    /// Always `applied`.
    pub verdict: String,
    /// The token. It is shown this once.
    pub token: String,
    /// What is on record of it.
    pub record: TokenRecord,
}

/// The tokens of a namespace.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
pub struct TokenList {
    /// What is on record of each, also of those that were revoked, oldest first.
    pub tokens: Vec<TokenRecord>,
}

/// A token that opens nothing any more.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
pub struct RevokedToken {
    /// `applied`, or `already` where it was revoked before.
    pub verdict: String,
    /// What is on record of it.
    pub record: TokenRecord,
}

/// The tokens of the namespace.
#[utoipa::path(
    get, path = "/v1/tokens", tag = "tokens", security(("token" = [])),
    responses((status = 200, body = TokenList))
)]
async fn list(State(service): State<Arc<Service>>, caller: Caller) -> Result<Json<TokenList>, Problem> {
    Ok(Json(TokenList { tokens: service.store.token_list(&caller.namespace.name).await? }))
}

/// Make a token for the namespace. The answer shows it, and nothing else ever does.
///
/// With an `Idempotency-Key` a repeat makes no second one. It can't show the first one either: where its answer was lost, revoke
/// the token and make another under a new key.
#[utoipa::path(
    post, path = "/v1/tokens", tag = "tokens", security(("token" = [])),
    params(ActionKey), request_body = CreateToken,
    responses(
        (status = 200, body = CreatedToken),
        (status = 409, body = ProblemBody, description = "A token was made under this key before"),
        (status = 422, body = ProblemBody, description = "It could do nothing, or approve without naming a person"),
    )
)]
async fn create(
    State(service): State<Arc<Service>>,
    caller: Caller,
    ActionKey(key): ActionKey,
    JsonBody(asked): JsonBody<CreateToken>,
) -> Result<Json<CreatedToken>, Problem> {
    let CreateToken { name, verbs, person, by, why } = asked;
    usable("name", &name)?;
    person.as_deref().map_or(Ok(()), |person| usable("person", person))?;
    // The id takes the action's place, since the outcome on record could not show the token.
    let actor = caller.actor(Said { by, why }, None)?;
    let namespace = caller.namespace.name.clone();
    let id = id(&service, &namespace, key.as_deref());
    let token = new_token().map_err(|error| {
        tracing::error!(%error, "the system has no randomness to give");
        Problem::new(Kind::Unavailable, "making a token: the system has no randomness to give")
    })?;
    let hash = token::hash(&token);
    let new = NewToken { id: id.clone(), namespace: namespace.clone(), name, person, verbs, hash };
    match service.store.token_create(new, actor).await? {
        TokenCreated::Applied => {
            let record = record(&service, &namespace, &id).await?;
            Ok(Json(CreatedToken { verdict: "applied".to_owned(), token, record }))
        }
        TokenCreated::Taken => {
            let detail =
                format!("making a token: {id} was made under this key before, and is shown only once");
            Err(Problem::new(Kind::AlreadyDone, detail)
                .remedy("where its answer was lost, revoke it, and make another under a key of its own"))
        }
        TokenCreated::NeedsPerson => {
            let detail = "making a token: one that can approve is a person's, and this one names nobody";
            Err(Problem::new(Kind::Invalid, detail).remedy("name the `person`, or leave `approve` out"))
        }
        TokenCreated::NeedsVerb => {
            let detail = "making a token: it has no verb, so that nothing could be done with it";
            Err(Problem::new(Kind::Invalid, detail).remedy("give it some `verbs`"))
        }
    }
}

/// Revoke a token: from now on it opens nothing. What is on record of it stays.
#[utoipa::path(
    post, path = "/v1/tokens/{id}/revoke", tag = "tokens", security(("token" = [])),
    params(("id" = String, Path, description = "The token's id, as the list has it"), ActionKey),
    request_body = Said,
    responses(
        (status = 200, body = RevokedToken),
        (status = 404, body = ProblemBody, description = "The namespace has no such token"),
    )
)]
async fn revoke(
    State(service): State<Arc<Service>>,
    caller: Caller,
    ActionKey(key): ActionKey,
    Segment(id): Segment<String>,
    JsonBody(said): JsonBody<Said>,
) -> Result<Json<RevokedToken>, Problem> {
    let actor = caller.actor(said, key)?;
    let namespace = &caller.namespace.name;
    record(&service, namespace, &id).await?;
    let applied = service.store.token_revoke(namespace, &id, actor).await?;
    let verdict = if applied { "applied" } else { "already" }.to_owned();
    Ok(Json(RevokedToken { verdict, record: record(&service, namespace, &id).await? }))
}

/// An id that is nobody else's; the same for the same key.
fn id(service: &Service, namespace: &str, key: Option<&str>) -> String {
    let digits = match key {
        Some(key) => digest(ID_LABEL, &[namespace.as_bytes(), key.as_bytes()])
            .map(|byte| format!("{byte:02x}"))
            .concat(),
        None => service.random_id(),
    };
    digits.chars().take(ID_DIGITS).collect()
}

async fn record(service: &Service, namespace: &str, id: &str) -> Result<TokenRecord, Problem> {
    let tokens = service.store.token_list(namespace).await?;
    tokens.into_iter().find(|token| token.id == id).ok_or_else(|| {
        Problem::new(Kind::NotFound, format!("looking for a token: none has the id {id:?}"))
            .remedy("see GET /v1/tokens, or `onceward token list`")
    })
}
