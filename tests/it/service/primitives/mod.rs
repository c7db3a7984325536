//! The primitives over real sockets, for programs that do their effects themselves.

mod bulk;
mod claims;
mod command_line;
mod decisions;
mod refusals;
mod rows;
mod stories;
mod under_a_claim;

use crate::service::served::{Served, check};
use serde_json::{Value, json};
use support::receiver::client::Exchange;

/// A host with nothing but what `config` says.
fn served(config: &str) -> Served {
    Served::new(&[], config)
}

/// Say a primitive.
fn say(served: &Served, primitive: &str, body: &Value) -> Exchange {
    served.host.post(&format!("/v1/primitives/{primitive}"), body)
}

/// A claim that is held.
#[derive(Clone, Debug)]
struct Held {
    work: String,
    token: i64,
    body: Value,
}

/// Claim, and be told to act. `more` are further members of the request.
fn hold(served: &Served, key: &str, more: &Value) -> Held {
    let body = check(&say(served, "claim", &claim_of(key, more)), 200, "acquired");
    held(body)
}

fn held(body: Value) -> Held {
    let work = body["work_id"].as_str().expect("a work id").to_owned();
    let token = body["token"].as_i64().expect("a token");
    Held { work, token, body }
}

fn claim_of(key: &str, more: &Value) -> Value {
    with(&json!({ "scope": "orders", "key": key }), more)
}

/// Members added to an object.
fn with(base: &Value, more: &Value) -> Value {
    let mut all = base.clone();
    if let (Some(all), Some(more)) = (all.as_object_mut(), more.as_object()) {
        all.extend(more.clone());
    }
    all
}

impl Held {
    /// What is said under this claim.
    fn said(&self, more: &Value) -> Value {
        with(&json!({ "work": self.work, "token": self.token }), more)
    }

    /// Say a primitive under this claim.
    fn say(&self, served: &Served, primitive: &str, more: &Value) -> Exchange {
        say(served, primitive, &self.said(more))
    }
}

/// Claim again and again until nobody holds the key; the answer.
fn after_the_lease(served: &Served, key: &str, more: &Value) -> Exchange {
    loop {
        let answer = say(served, "claim", &claim_of(key, more));
        if answer.json().expect("JSON")["verdict"] != "in-progress" {
            return answer;
        }
    }
}

/// A claim that was lost to a second holder, and that one's.
fn taken_over(served: &Served, key: &str) -> [Held; 2] {
    let slow = hold(served, key, &json!({ "lease_ms": 1 }));
    let body = check(&after_the_lease(served, key, &json!({})), 200, "acquired");
    assert_eq!((&body["attempt"], &body["takeover"]), (&json!(2), &json!(true)));
    [slow, held(body)]
}
