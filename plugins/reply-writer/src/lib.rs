#![doc = include_str!("../README.md")]

mod reply;

pub use crate::reply::InReplyTo;
pub use crate::reply::Reply;

use crate::reply::NoReply;
use lead::Lead;
use onceward_guest::prelude::*;
use serde::Serialize;

/// The host takes no longer ordering key. Sources have threads with longer names only by accident, and a reply out of
/// order is better than none.
const ORDERING_KEY_MAX_BYTES: usize = 512;

/// The step.
#[derive(Debug)]
pub struct ReplyWriter;

impl Step for ReplyWriter {
    type Input = Lead;
    type Output = Drafted;

    fn handle(work: Work<Lead>) -> Result<Outcome<Drafted>, Failure> {
        let lead = work.payload;
        let reply = match Reply::to(&lead) {
            Ok(reply) => reply,
            Err(NoReply::Spam) => {
                journal::note("spam is not answered");
                return Ok(Outcome::done(Drafted { row_id: None }));
            }
            Err(NoReply::Nobody) => {
                let reason = "no reply: the contact left neither an e-mail address nor a number";
                journal::note(reason);
                return Ok(Outcome::done_for_review(Drafted { row_id: None }, reason));
            }
        };
        let row = Row::to("messages").slot("reply").payload(&reply).approval(reason(&lead));
        let row = match ordering_key(&lead) {
            Some(key) => row.ordering_key(key),
            None => row,
        };
        let row_id = row.receipt_step_or_note("reply-recorder").enqueue()?;
        Ok(Outcome::done(Drafted { row_id: Some(row_id) }))
    }
}

step! {
    ReplyWriter,
    name: "reply-writer",
    version: 1,
    identity: Identity::business_key(&["/source", "/message_id"]),
    window: Window::ForEver,
    response: Response::Original,
    destinations: ["messages"],
}

/// What was put before a person.
#[derive(Debug, Clone, Serialize)]
pub struct Drafted {
    /// The outbox row's id, 64 hexadecimal digits; none where there is no reply.
    pub row_id: Option<String>,
}

/// Why a person is asked, in words that repeat nothing of the enquiry.
fn reason(lead: &Lead) -> String {
    match (lead.reply.is_some(), lead.confidence) {
        (true, Some(confidence)) => {
            format!("a model's draft; it was sure to {confidence} of what the message is")
        }
        (true, None) => "a draft".to_owned(),
        (false, _) => "the standard text: the lead was not enriched".to_owned(),
    }
}

/// Replies of one conversation leave in order. Two sources may use the same name for two conversations.
fn ordering_key(lead: &Lead) -> Option<String> {
    let key = format!("{}:{}", lead.source, lead.conversation());
    (key.len() <= ORDERING_KEY_MAX_BYTES).then_some(key)
}

#[cfg(test)]
mod tests {
    use super::ordering_key;
    use super::reason;
    use lead::Lead;

    #[test]
    fn the_person_is_told_where_the_text_comes_from() {
        let lead = Lead::new("web-form", "m-1");
        assert!(reason(&lead).contains("standard text"));
        let drafted = Lead { reply: Some("Hello".into()), confidence: Some(0.9), ..lead };
        assert!(reason(&drafted).contains("0.9"));
    }

    #[test]
    fn conversations_of_two_sources_are_two() {
        let of =
            |source: &str| ordering_key(&Lead { conversation: Some("1".into()), ..Lead::new(source, "m") });
        assert_ne!(of("chat"), of("mail"));
        assert_eq!(ordering_key(&Lead::new("mail", &"x".repeat(600))), None);
    }
}
