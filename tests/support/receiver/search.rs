//! One search: `GET /search/{kind}?field=/external_id&value=X`.
//!
//! Owns what a search finds: every row of the kind, however it was written, whose body has the
//! value at the JSON Pointer (RFC 6901), the oldest first, once the row's creation lies the search
//! lag behind. A string is found by its text, a number or a truth value by its JSON. It refuses a
//! query without exactly one `field` and one `value` (400). A search is counted as a read, also
//! where a fault meets it. Where the store fails, the answer is a 500.

use std::sync::Arc;

use anyhow::Context;
use axum::extract::Request;
use axum::http::StatusCode;
use axum::response::Response;
use serde_json::Value;

use crate::receiver::answer::Answer;
use crate::receiver::evidence;
use crate::receiver::faults::Fault;
use crate::receiver::http::Crm;
use crate::receiver::http::blocking;
use crate::receiver::query;
use crate::receiver::reply;
use crate::receiver::reply::Reply;
use crate::receiver::store::Head;
use crate::receiver::store::Verdict;
use crate::receiver::wire::Fuse;

/// Answers a search.
pub(super) async fn serve(crm: Arc<Crm>, fuse: Fuse, kind: String, request: Request) -> Response {
    let attempt = attempt(crm, kind, request).await;
    attempt.unwrap_or_else(|error| Reply::from(Answer::failed(&error))).send(&fuse)
}

async fn attempt(crm: Arc<Crm>, kind: String, request: Request) -> anyhow::Result<Reply> {
    let fault = crm.faults.take_search();
    let head = Head {
        seq: crm.store.next_seq(),
        key: None,
        method: request.method().to_string(),
        path: request.uri().path().to_owned(),
    };
    let query = request.uri().query().unwrap_or_default().to_owned();
    let log = crm.clone();
    blocking(move || log.store.arrive(&head, None, Verdict::Read)).await?;
    if fault == Some(Fault::Refuse) {
        return Ok(Reply::reset());
    }
    if let Some(fault) = &fault
        && let Some(answer) = reply::instead(fault)?
    {
        return Ok(answer.into());
    }
    let answer = match Question::parse(&query) {
        Some(question) => blocking(move || find(&crm, &kind, &question)).await?,
        None => Answer::bad_request("the search can't be read; ask ?field=/POINTER&value=VALUE, each once"),
    };
    let answer = match fault {
        Some(Fault::UnreadableReceipt) => Answer::text(StatusCode::OK, "<html>found, see your dashboard"),
        _ => answer,
    };
    Ok(Reply::through(fault.as_ref(), answer).await)
}

/// What is searched for.
#[derive(Debug, PartialEq, Eq)]
struct Question {
    field: String,
    value: String,
}

impl Question {
    fn parse(query: &str) -> Option<Self> {
        let (mut field, mut value) = (None, None);
        for (name, text) in query::pairs(query)? {
            let place = match name.as_str() {
                "field" => &mut field,
                "value" => &mut value,
                _ => return None,
            };
            if place.replace(text).is_some() {
                return None;
            }
        }
        Some(Self { field: field.filter(|field| field.starts_with('/'))?, value: value? })
    }

    fn is_met_by(&self, body: &str) -> serde_json::Result<bool> {
        let body: Value = serde_json::from_str(body)?;
        Ok(match body.pointer(&self.field) {
            Some(Value::String(text)) => *text == self.value,
            Some(Value::Number(number)) => number.to_string() == self.value,
            Some(Value::Bool(truth)) => truth.to_string() == self.value,
            _ => false,
        })
    }
}

fn find(crm: &Crm, kind: &str, question: &Question) -> anyhow::Result<Answer> {
    let mut found = Vec::new();
    for deal in evidence::visible(&crm.dir, kind, crm.search_lag_ms)? {
        let met = question.is_met_by(&deal.body);
        if met.with_context(|| format!("could not read the body of {}", deal.id))? {
            found.push(serde_json::json!({ "id": deal.id }));
        }
    }
    Ok(Answer::json(StatusCode::OK, serde_json::json!({ "found": found }).to_string()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_question_has_one_pointer_and_one_value() {
        fn check(query: &str, expected: Option<(&str, &str)>) {
            let expected =
                expected.map(|(field, value)| Question { field: field.to_owned(), value: value.to_owned() });
            assert_eq!(Question::parse(query), expected, "{query}");
        }
        check("field=/id&value=a", Some(("/id", "a")));
        check("value=&field=%2Fmeta%2Fid", Some(("/meta/id", "")));
        check("field=/id", None);
        check("value=a", None);
        check("field=/id&value=a&value=b", None);
        check("field=/id&value=a&limit=1", None);
        check("field=id&value=a", None);
        check("field=&value=a", None);
        check("", None);
    }

    #[test]
    fn a_body_is_met_by_the_very_value_at_the_very_place() {
        fn check(field: &str, value: &str, expected: bool) {
            let body = r#"{"id":"a","n":7,"yes":true,"no":null,"meta":{"id":"b"},"tags":["c"],"x/y":"d"}"#;
            let question = Question { field: field.to_owned(), value: value.to_owned() };
            assert_eq!(question.is_met_by(body).unwrap(), expected, "{field} {value}");
        }
        check("/id", "a", true);
        check("/n", "7", true);
        check("/yes", "true", true);
        check("/meta/id", "b", true);
        check("/tags/0", "c", true);
        check("/x~1y", "d", true);
        check("/id", "A", false);
        check("/id", "", false);
        check("/id", "\"a\"", false);
        check("/meta/id", "a", false);
        check("/no", "null", false);
        check("/meta", "b", false);
        check("/elsewhere", "a", false);
    }
}
