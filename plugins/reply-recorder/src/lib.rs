#![doc = include_str!("../README.md")]

use onceward_guest::prelude::*;
use serde::Deserialize;
use serde::Serialize;

/// The step.
#[derive(Debug)]
pub struct ReplyRecorder;

impl Step for ReplyRecorder {
    type Input = Receipt<Sent>;
    type Output = Replied;

    fn handle(work: Work<Receipt<Sent>>) -> Result<Outcome<Replied>, Failure> {
        let Receipt { reference, sent, .. } = work.payload;
        progress::advance_or_note("replied");
        Ok(Outcome::done(Replied { conversation: sent.conversation, reference }))
    }
}

step! {
    ReplyRecorder,
    name: "reply-recorder",
    version: 1,
    identity: Identity::business_key(&["/row"]),
    window: Window::ForEver,
    response: Response::Original,
}

/// Of the message that was sent, what is recorded.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct Sent {
    /// The thread that it belongs to.
    pub conversation: Option<String>,
}

/// An enquiry that has its answer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Replied {
    /// The thread that the answer belongs to.
    pub conversation: Option<String>,
    /// The id that the message service gave it, where it gave one.
    pub reference: Option<String>,
}
