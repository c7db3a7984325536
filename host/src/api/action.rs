//! Action identity: what makes a person's act one act, however often it is sent; and acts that can't be done.

use crate::api::body::headers_of;
use crate::api::error::{Kind, Problem};
use crate::inbound::idempotency_key::{IDEMPOTENCY_KEY, IdempotencyKey, KEY_LIMIT_BYTES};
use axum::extract::FromRequestParts;
use axum::http::request::Parts;
use std::fmt::Display;
use utoipa::IntoParams;
use utoipa::openapi::Required;
use utoipa::openapi::path::{Parameter, ParameterBuilder, ParameterIn};
use utoipa::openapi::schema::{ObjectBuilder, Type};

/// The identity of an act, from its `Idempotency-Key`. A repeat with the same one is the same act, and is answered alike.
#[derive(Clone, Debug)]
pub struct ActionKey(pub Option<String>);

impl<S: Send + Sync> FromRequestParts<S> for ActionKey {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, Problem> {
        match IdempotencyKey::read(&headers_of(&parts.headers)) {
            Ok(key) => Ok(Self(key.map(|key| key.as_str().to_owned()))),
            Err(error) => Err(Problem::of(Kind::BadRequest, &error)),
        }
    }
}

impl IntoParams for ActionKey {
    fn into_params(_: impl Fn() -> Option<ParameterIn>) -> Vec<Parameter> {
        let text = ObjectBuilder::new().schema_type(Type::String).max_length(Some(KEY_LIMIT_BYTES));
        let parameter = ParameterBuilder::new()
            .name(IDEMPOTENCY_KEY)
            .parameter_in(ParameterIn::Header)
            .required(Required::False)
            .description(Some(
                "The act's identity: sent again with the same one it is done once, and answered alike",
            ))
            .schema(Some(text));
        vec![parameter.build()]
    }
}

/// An act that can't be done in the present state.
pub(super) fn wrong_state(
    noun: &str,
    id: impl Display,
    state: &str,
    from: impl IntoIterator<Item = &'static str>,
) -> Problem {
    let from = from.into_iter().collect::<Vec<_>>().join(" or ");
    let detail = format!(
        "deciding about the {noun} {id}: it is {state}, and this can be said of one that is {from}; nothing was changed"
    );
    Problem::new(Kind::WrongState, detail)
}
