//! Asking a receiver whether a write has happened, by the fingerprint in it.
//!
//! Owns the question and how its answer is read. "Not found" is believed only from a whole, readable success; everything
//! else leaves open what happened, and nothing is sent on its ground.

use crate::connectors::answer::{Answer, Fault, Receipt};
use crate::connectors::classify::Reply;
use crate::connectors::retry_after;
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// Where to ask, and where the answer is; frozen with the envelope.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LookUp {
    /// The address that is read (GET), with places as in an envelope's: `{key}` is the fingerprint.
    pub url: String,
    /// JSON Pointer to the found record's id, for instance `/results/0/id`. Nothing there means not found.
    pub found: String,
}

/// One question.
#[derive(Clone, Copy, Debug)]
pub struct Query<'a> {
    /// Where to ask.
    pub look_up: &'a LookUp,
    /// The account's name.
    pub account: Option<&'a str>,
    /// The fingerprint, which is the row's key.
    pub key: &'a str,
    /// The row's payload, for places in the address.
    pub body: &'a [u8],
}

/// What a look-up came to.
#[derive(Clone, Debug, PartialEq)]
pub enum Found {
    /// The write has happened; the receipt is the answer to the question.
    Yes(Receipt),
    /// The receiver knows nothing of it.
    No,
    /// The question itself was not answered.
    Unknown(Fault),
    /// The receiver refuses us altogether.
    Unauthorised(Fault),
}

impl From<Answer> for Found {
    /// A request that got no reply, or could not be made.
    fn from(answer: Answer) -> Self {
        match answer {
            Answer::Unauthorised(fault) | Answer::Misconfigured(fault) => Self::Unauthorised(fault),
            Answer::Accepted(receipt) => Self::Unknown(Fault::without_reply(receipt.body)),
            Answer::NotApplied(fault)
            | Answer::Ambiguous(fault)
            | Answer::Permanent(fault)
            | Answer::Conflict(fault)
            | Answer::InProgress(fault) => Self::Unknown(fault),
        }
    }
}

/// Read the reply to a question.
pub(super) fn read(look_up: &LookUp, reply: &Reply<'_>, now_ms: i64) -> Found {
    let fault = |cause: &str| Fault {
        status: Some(reply.status),
        retry_after_ms: reply.retry_after.and_then(|value| retry_after::parse(value, now_ms)),
        ..Fault::without_reply(cause.to_owned())
    };
    match reply.status {
        200..=299 => {}
        401 | 403 | 410 => return Found::Unauthorised(fault("the look-up does not accept the credential")),
        _ => return Found::Unknown(fault("the look-up was not answered")),
    }
    if reply.truncated || !reply.valid_text {
        return Found::Unknown(fault("the look-up's answer can't be read whole"));
    }
    let Ok(body) = serde_json::from_str::<Value>(reply.body) else {
        return Found::Unknown(fault("the look-up's answer is no JSON"));
    };
    let reference = match body.pointer(&look_up.found) {
        Some(Value::String(id)) if !id.is_empty() => id.clone(),
        Some(Value::Number(id)) => id.to_string(),
        None | Some(Value::Null) => return Found::No,
        Some(_) => return Found::Unknown(fault("the look-up's answer holds no id where `found` points")),
    };
    Found::Yes(Receipt {
        status: reply.status,
        body: reply.body.to_owned(),
        truncated: false,
        reference: Some(reference),
        readable: true,
    })
}

#[cfg(test)]
mod tests {
    use super::{Found, LookUp, read};
    use crate::connectors::classify::Reply;

    #[test]
    fn absence_is_believed_only_from_a_whole_readable_success() {
        let check = |status: u16, body: &str, truncated: bool, class: &str| {
            let look_up = LookUp { url: String::new(), found: "/found/0/id".to_owned() };
            let reply = Reply { status, retry_after: None, body, truncated, valid_text: true };
            let found = match read(&look_up, &reply, 0) {
                Found::Yes(_) => "yes",
                Found::No => "no",
                Found::Unknown(_) => "unknown",
                Found::Unauthorised(_) => "unauthorised",
            };
            assert_eq!(found, class, "{status} {body}");
        };
        check(200, r#"{"found":[{"id":"deal-1"}]}"#, false, "yes");
        check(200, r#"{"found":[{"id":7}]}"#, false, "yes");
        check(200, r#"{"found":[]}"#, false, "no");
        check(200, r#"{"found":[]"#, false, "unknown");
        check(200, r#"{"found":[]}"#, true, "unknown");
        check(200, r#"{"found":[{"id":{}}]}"#, false, "unknown");
        check(404, r#"{"found":[]}"#, false, "unknown");
        check(500, "", false, "unknown");
        check(401, "", false, "unauthorised");
    }
}
