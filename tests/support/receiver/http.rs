//! The receiver's addresses, and what is read there.
//!
//! | request | answer |
//! |---|---|
//! | `POST /deals`, `/messages`, `/any/{kind}` | a write; see `write` |
//! | `GET` of the same | every row of that kind |
//! | `GET /deals/{id}` and so on | one row |
//! | `PUT /upsert/{kind}/{value}` | a write of the one row with that value |
//! | `POST /plain/{kind}` | a write that takes no key |
//! | `GET /search/{kind}?field=/POINTER&value=VALUE` | `{"found": [{"id": "lead-1"}]}`; see `search` |
//! | `GET /counts` | [`super::evidence::Counts`] |
//! | `POST /faults` with `{"next": ["lose-reply"]}` | `{"waiting": 1}`; they wait for the next writes or searches |
//!
//! Rows of a kind are read at one place, however they were written: `GET /any/{kind}`. Owns the route table. It refuses every other path (404) and method (405). `/counts` and
//! `/faults` are the test's own and are never counted. Where the store fails, the answer is a 500
//! with the causes.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;

use anyhow::Context;
use axum::Router;
use axum::body::Bytes;
use axum::extract::ConnectInfo;
use axum::extract::Path;
use axum::extract::Request;
use axum::extract::State;
use axum::http::Method;
use axum::http::StatusCode;
use axum::response::IntoResponse;
use axum::response::Response;
use axum::routing::get;
use axum::routing::post;
use axum::routing::put;
use serde::Deserialize;
use serde::Serialize;
use serde_json::value::RawValue;
use tokio::task::JoinHandle;

use crate::receiver::answer::Answer;
use crate::receiver::crash::Crash;
use crate::receiver::evidence;
use crate::receiver::evidence::Deal;
use crate::receiver::fault_queue::FaultQueue;
use crate::receiver::in_work::InWork;
use crate::receiver::rate::Rate;
use crate::receiver::search;
use crate::receiver::store::Head;
use crate::receiver::store::Store;
use crate::receiver::store::Verdict;
use crate::receiver::wire::Fuse;
use crate::receiver::write;
use crate::receiver::write::Manner;

/// The longest name of a kind: it becomes part of every id.
const KIND_LIMIT_BYTES: usize = 64;

/// Everything a handler needs.
pub(super) struct Crm {
    pub(super) dir: PathBuf,
    pub(super) store: Store,
    pub(super) faults: Arc<FaultQueue>,
    pub(super) in_work: InWork,
    pub(super) key_optional: bool,
    pub(super) rate: Rate,
    pub(super) search_lag_ms: u64,
    pub(super) crash: Crash,
}

/// The route table.
pub(super) fn routes(crm: Arc<Crm>) -> Router {
    Router::new()
        .route("/counts", get(counts))
        .route("/faults", post(order_faults))
        .route("/plain/{kind}", post(plain).fallback(async || Answer::method("POST to /plain/KIND")))
        .route(
            "/upsert/{kind}/{value}",
            put(upsert).fallback(async || Answer::method("PUT to /upsert/KIND/VALUE")),
        )
        .route("/search/{kind}", get(search).fallback(async || Answer::method("GET /search/KIND")))
        .fallback(rows)
        .with_state(crm)
}

/// Runs store work where it may block.
pub(super) async fn blocking<T: Send + 'static>(
    work: impl FnOnce() -> anyhow::Result<T> + Send + 'static,
) -> anyhow::Result<T> {
    finished(tokio::task::spawn_blocking(work)).await
}

/// Waits for a task's result. A task is cancelled only when the receiver dies, and then nothing may
/// be answered any more, not even an error: this waits to be dropped as well.
pub(super) async fn finished<T>(task: JoinHandle<anyhow::Result<T>>) -> anyhow::Result<T> {
    match task.await {
        Ok(result) => result,
        Err(error) if error.is_cancelled() => std::future::pending().await,
        Err(error) => Err(error).context("could not finish the receiver's work"),
    }
}

/// What the body of `POST /faults` holds.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct FaultOrder {
    next: Vec<String>,
}

async fn order_faults(State(crm): State<Arc<Crm>>, body: Bytes) -> Answer {
    let ordered = serde_json::from_slice(&body)
        .context("could not read the order; send {\"next\": [\"lose-reply\"]}")
        .and_then(|order: FaultOrder| crm.faults.order(order.next.iter().map(String::as_str)));
    match ordered {
        Ok(waiting) => Answer::json(StatusCode::OK, format!("{{\"waiting\":{waiting}}}")),
        Err(error) => Answer::bad_request(format!("{error:#}")),
    }
}

async fn counts(State(crm): State<Arc<Crm>>) -> Answer {
    let count = move || Ok(serde_json::to_vec(&evidence::counts(&crm.dir)?)?);
    match blocking(count).await {
        Ok(body) => Answer::json(StatusCode::OK, body),
        Err(error) => Answer::failed(&error),
    }
}

/// A write without a key.
async fn plain(
    State(crm): State<Arc<Crm>>,
    ConnectInfo(fuse): ConnectInfo<Fuse>,
    Path(kind): Path<String>,
    request: Request,
) -> Response {
    if !is_kind(&kind) {
        return Answer::not_found(request.uri().path()).into_response();
    }
    write::serve(crm, fuse, kind, Manner::Plain, request).await
}

/// A write of the one row that has a value. Its length is bounded by that of an address.
async fn upsert(
    State(crm): State<Arc<Crm>>,
    ConnectInfo(fuse): ConnectInfo<Fuse>,
    Path((kind, value)): Path<(String, String)>,
    request: Request,
) -> Response {
    if !is_kind(&kind) {
        return Answer::not_found(request.uri().path()).into_response();
    }
    write::serve(crm, fuse, kind, Manner::Upsert { value }, request).await
}

/// A search, which is not a write and never creates.
async fn search(
    State(crm): State<Arc<Crm>>,
    ConnectInfo(fuse): ConnectInfo<Fuse>,
    Path(kind): Path<String>,
    request: Request,
) -> Response {
    if !is_kind(&kind) {
        return Answer::not_found(request.uri().path()).into_response();
    }
    search::serve(crm, fuse, kind, request).await
}

/// Everything under a kind's path.
async fn rows(
    State(crm): State<Arc<Crm>>,
    ConnectInfo(fuse): ConnectInfo<Fuse>,
    request: Request,
) -> Response {
    let path = request.uri().path().to_owned();
    let Some(target) = Target::parse(&path) else {
        return Answer::not_found(&path).into_response();
    };
    match (request.method(), &target.id) {
        (&Method::POST, None) => write::serve(crm, fuse, target.kind, Manner::Keyed, request).await,
        (&Method::GET, _) => {
            let asked = blocking(move || read(&crm, &path, &target)).await;
            asked.unwrap_or_else(|error| Answer::failed(&error)).into_response()
        }
        _ => Answer::method("POST to a kind, or GET a kind or one of its rows").into_response(),
    }
}

/// The kind, and perhaps the row, that a path names.
#[derive(Debug, PartialEq, Eq)]
struct Target {
    kind: String,
    id: Option<String>,
}

impl Target {
    fn parse(path: &str) -> Option<Self> {
        let parts: Vec<&str> = path.strip_prefix('/')?.split('/').collect();
        let (kind, id) = match parts.as_slice() {
            ["any", kind] => (*kind, None),
            ["any", kind, id] => (*kind, Some(*id)),
            [kind @ ("deals" | "messages")] => (*kind, None),
            [kind @ ("deals" | "messages"), id] => (*kind, Some(*id)),
            _ => return None,
        };
        is_kind(kind).then(|| Self { kind: kind.to_owned(), id: id.map(str::to_owned) })
    }
}

/// Whether a word can name a kind.
fn is_kind(word: &str) -> bool {
    let plain = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-';
    (1..=KIND_LIMIT_BYTES).contains(&word.len()) && word.bytes().all(plain)
}

/// A row as it is shown, its body in the very bytes that came.
#[derive(Serialize)]
struct Shown<'a> {
    id: &'a str,
    kind: &'a str,
    key: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    value: Option<&'a str>,
    body: &'a RawValue,
    created_ms: i64,
}

impl<'a> Shown<'a> {
    fn new(deal: &'a Deal) -> anyhow::Result<Self> {
        Ok(Self {
            id: &deal.id,
            kind: &deal.kind,
            key: deal.key.as_deref(),
            value: deal.value.as_deref(),
            body: serde_json::from_str(&deal.body)
                .with_context(|| format!("could not show the body of {}", deal.id))?,
            created_ms: deal.created_ms,
        })
    }
}

/// Answers a `GET` of one row or of all of a kind, and counts it.
fn read(crm: &Crm, path: &str, target: &Target) -> anyhow::Result<Answer> {
    let head = Head { seq: crm.store.next_seq(), key: None, method: "GET".to_owned(), path: path.to_owned() };
    crm.store.arrive(&head, None, Verdict::Read)?;
    let deals = evidence::deals(&crm.dir)?;
    let of_kind = deals.iter().filter(|deal| deal.kind == target.kind);
    let body = match &target.id {
        None => {
            let shown = of_kind.map(Shown::new).collect::<anyhow::Result<Vec<_>>>()?;
            serde_json::to_vec(&BTreeMap::from([(target.kind.as_str(), shown)]))?
        }
        Some(id) => match of_kind.into_iter().find(|deal| deal.id == *id) {
            Some(deal) => serde_json::to_vec(&Shown::new(deal)?)?,
            None => return Ok(Answer::not_found(path)),
        },
    };
    Ok(Answer::json(StatusCode::OK, body))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_paths_of_kinds_name_rows() {
        fn check(path: &str, expected: Option<(&str, Option<&str>)>) {
            let expected =
                expected.map(|(kind, id)| Target { kind: kind.to_owned(), id: id.map(str::to_owned) });
            assert_eq!(Target::parse(path), expected, "{path}");
        }
        check("/deals", Some(("deals", None)));
        check("/deals/deal-1", Some(("deals", Some("deal-1"))));
        check("/messages", Some(("messages", None)));
        check("/any/leads", Some(("leads", None)));
        check("/any/leads/lead-7", Some(("leads", Some("lead-7"))));
        check("/any/deals", Some(("deals", None)));
        for path in ["/", "/leads", "/any", "/any/", "/any/A", "/any/a%20b", "/deals/a/b"] {
            check(path, None);
        }
        check(&format!("/any/{}", "k".repeat(65)), None);
    }
}
