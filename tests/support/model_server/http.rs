//! The provider's one address: `POST /v1/chat/completions`.

use crate::model_server::mode::Mode;
use crate::model_server::{Heard, TOKENS_IN, TOKENS_OUT};
use axum::Router;
use axum::body::Bytes;
use axum::extract::State;
use axum::http::{HeaderMap, StatusCode, header};
use axum::response::{IntoResponse, Response};
use axum::routing::post;
use serde_json::{Value, json};
use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// An answer that no step's schema lets through.
const MISFIT: &str = r#"{"unexpected":true}"#;

/// What the provider keeps.
#[derive(Debug, Default)]
pub(super) struct Provider {
    orders: Mutex<VecDeque<Mode>>,
    heard: Mutex<Vec<Heard>>,
    template: Mutex<Option<String>>,
}

impl Provider {
    pub(super) fn order(&self, modes: Vec<Mode>) {
        lock(&self.orders).extend(modes);
    }

    pub(super) fn answer(&self, template: &str) {
        *lock(&self.template) = Some(template.to_owned());
    }

    pub(super) fn heard(&self) -> Vec<Heard> {
        lock(&self.heard).clone()
    }

    /// Count a call; its number, and what it meets.
    fn hear(&self, heard: Heard) -> (usize, Mode) {
        let number = {
            let mut all = lock(&self.heard);
            all.push(heard);
            all.len()
        };
        (number, lock(&self.orders).pop_front().unwrap_or(Mode::Ok))
    }

    fn content(&self, number: usize) -> String {
        let template = lock(&self.template).clone();
        template.unwrap_or_else(|| r#"{"call":{n}}"#.to_owned()).replace("{n}", &number.to_string())
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

pub(super) fn routes(provider: Arc<Provider>) -> Router {
    Router::new().route("/v1/chat/completions", post(complete)).with_state(provider)
}

async fn complete(State(provider): State<Arc<Provider>>, headers: HeaderMap, body: Bytes) -> Response {
    let body: Value = serde_json::from_slice(&body).unwrap_or_default();
    let authorization =
        headers.get(header::AUTHORIZATION).and_then(|value| value.to_str().ok()).map(str::to_owned);
    let key = authorization.clone().unwrap_or_default();
    let (number, mode) = provider.hear(Heard { authorization, body: body.clone() });
    let content = provider.content(number);
    match mode {
        Mode::Ok => completion(&json!({ "content": content }), "stop"),
        Mode::Slow(ms) => {
            tokio::time::sleep(Duration::from_millis(ms)).await;
            completion(&json!({ "content": content }), "stop")
        }
        Mode::Limited(seconds) => {
            let after = [(header::RETRY_AFTER, seconds.to_string())];
            (StatusCode::TOO_MANY_REQUESTS, after, error("rate_limit_exceeded", "slow down")).into_response()
        }
        Mode::Status(code) => {
            let status = StatusCode::from_u16(code).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
            let message = format!("no service for {key} and {body}");
            (status, error("server_error", &message)).into_response()
        }
        Mode::Refusal => completion(&json!({ "content": null, "refusal": "I will not." }), "stop"),
        Mode::Filter => completion(&json!({ "content": "" }), "content_filter"),
        Mode::Cut => completion(&json!({ "content": "{\"half\": " }), "length"),
        Mode::NotJson => (StatusCode::OK, "<html>the gateway is being repaired</html>").into_response(),
        Mode::Prose => completion(&json!({ "content": "I would say: yes" }), "stop"),
        Mode::Misfit => completion(&json!({ "content": MISFIT }), "stop"),
        Mode::Echo => completion(&json!({ "content": json!({ "key": key }).to_string() }), "stop"),
    }
}

fn completion(message: &Value, finish_reason: &str) -> Response {
    axum::Json(json!({
        "object": "chat.completion",
        "choices": [{ "index": 0, "message": message, "finish_reason": finish_reason }],
        "usage": { "prompt_tokens": TOKENS_IN, "completion_tokens": TOKENS_OUT },
    }))
    .into_response()
}

fn error(code: &str, message: &str) -> axum::Json<Value> {
    axum::Json(json!({ "error": { "type": code, "code": code, "message": message } }))
}
