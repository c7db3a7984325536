//! Paths and queries, refused in the API's own words.

use crate::api::error::{Kind, Problem};
use axum::extract::{FromRequestParts, Path, Query};
use axum::http::request::Parts;
use serde::de::DeserializeOwned;

/// The parameters of a query.
#[derive(Clone, Debug)]
pub struct Params<T>(pub T);

/// A part of the path.
#[derive(Clone, Debug)]
pub struct Segment<T>(pub T);

impl<T: DeserializeOwned + Send, S: Send + Sync> FromRequestParts<S> for Params<T> {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, Problem> {
        match Query::from_request_parts(parts, state).await {
            Ok(Query(params)) => Ok(Self(params)),
            Err(error) => Err(Problem::of(Kind::BadRequest, &error)
                .remedy("the API's description at /v1/openapi.json has every parameter")),
        }
    }
}

impl<T: DeserializeOwned + Send, S: Send + Sync> FromRequestParts<S> for Segment<T> {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, Problem> {
        match Path::from_request_parts(parts, state).await {
            Ok(Path(segment)) => Ok(Self(segment)),
            Err(error) => Err(Problem::of(Kind::BadRequest, &error)),
        }
    }
}
