//! A primitive many times in one request.
//!
//! Each item is read and done as if it had come alone, so that one that is wrong spoils no other. Items wait for those before
//! them, so that a repeat inside the bulk finds what the first one did; where a primitive waits for something slow, only
//! those of the same line wait for each other.

use crate::api::auth::Caller;
use crate::api::body::{Raw, json_of, read};
use crate::api::error::{Kind, Problem, Success, success};
use crate::api::primitives::Primitive;
use crate::api::service::Service;
use axum::response::Response;
use http_body_util::BodyExt as _;
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use std::collections::BTreeMap;
use std::sync::Arc;
use tokio::sync::Semaphore;
use tokio::task::JoinSet;
use utoipa::ToSchema;

/// Items of one bulk. Each is a transaction or several, and their sender waits for the last one.
const ITEMS_MAX: usize = 256;

/// Lines of one bulk that are under way at once.
const LINES_AT_ONCE: usize = 8;

/// Many of one primitive.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct BulkRequest {
    /// The items, each the body that the primitive takes alone. 256 at most.
    #[schema(value_type = Vec<Object>, max_items = 256)]
    items: Vec<Box<RawValue>>,
}

/// The answers.
#[derive(Debug, Serialize, ToSchema)]
pub(super) struct BulkAnswer {
    /// One for each item, in order.
    items: Vec<BulkItem>,
}

/// The answer to an item, as it would be alone.
#[derive(Debug, Serialize, ToSchema)]
pub(super) struct BulkItem {
    /// The status.
    #[schema(example = 409)]
    status: u16,
    /// The body: what the primitive answers, or a problem.
    #[schema(value_type = Object)]
    body: Box<RawValue>,
}

impl BulkRequest {
    /// The list that a body holds. What its items are is not looked at.
    pub(super) fn read(raw: &Raw) -> Result<Self, Problem> {
        let request: Self = serde_json::from_str(json_of(raw)?).map_err(|error| {
            let kind = if error.is_data() { Kind::Invalid } else { Kind::BadJson };
            Problem::new(kind, format!("reading the bulk: {error}")).remedy("send {\"items\": [...]}")
        })?;
        let count = request.items.len();
        if count > ITEMS_MAX {
            let detail = format!("reading the bulk: it has {count} items, and the limit is {ITEMS_MAX}");
            return Err(Problem::new(Kind::Invalid, detail).remedy("send several, one after the other"));
        }
        Ok(request)
    }
}

/// Items that wait for each other, with their places.
type Line<P> = Vec<(usize, P)>;

/// Do each item, and answer all.
pub(super) async fn each<P: Primitive>(
    service: &Arc<Service>,
    caller: &Caller,
    request: BulkRequest,
    request_id: &str,
) -> Result<Response, Problem> {
    let (mut answers, mut lines) = (Vec::new(), BTreeMap::<String, Line<P>>::new());
    for (place, item) in request.items.iter().enumerate() {
        match read::<P>(item.get()) {
            Ok(item) => lines.entry(item.line().to_owned()).or_default().push((place, item)),
            Err(problem) => answers.push((place, Err(problem))),
        }
    }
    let places = Arc::new(Semaphore::new(LINES_AT_ONCE));
    let mut under_way = JoinSet::new();
    for line in lines.into_values() {
        let (service, caller, places) = (Arc::clone(service), caller.clone(), Arc::clone(&places));
        under_way.spawn(async move {
            let _place = places.acquire_owned().await;
            let mut answers = Vec::with_capacity(line.len());
            for (place, item) in line {
                answers.push((place, item.act(&service, &caller).await));
            }
            answers
        });
    }
    while let Some(line) = under_way.join_next().await {
        answers.extend(line.map_err(|error| internal(&error))?);
    }
    answers.sort_by_key(|(place, _)| *place);
    let mut items = Vec::with_capacity(answers.len());
    for (_, answer) in answers {
        items.push(item(answer, request_id).await?);
    }
    Ok(success(Success::Done, BulkAnswer { items }))
}

/// What a primitive answered, as a value.
async fn item(answer: Result<Response, Problem>, request_id: &str) -> Result<BulkItem, Problem> {
    let response = answer.unwrap_or_else(|problem| problem.render(Some(request_id)));
    let status = response.status().as_u16();
    let bytes = response.into_body().collect().await.map_err(|error| internal(&error))?.to_bytes();
    let body = serde_json::from_slice(&bytes).map_err(|error| internal(&error))?;
    Ok(BulkItem { status, body })
}

fn internal(error: &(dyn std::error::Error + 'static)) -> Problem {
    tracing::error!(error, "a bulk could not be answered");
    Problem::new(Kind::Internal, "a fault of the host; the log says more under the request's id")
}
