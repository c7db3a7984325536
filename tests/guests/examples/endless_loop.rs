//! Never comes back: only the host's wall limit ends it.

use onceward_guest::prelude::*;
use serde_json::Value;

/// The guest.
#[derive(Debug)]
pub struct EndlessLoop;

impl Step for EndlessLoop {
    type Input = Value;
    type Output = Value;

    fn handle(_: Work<Value>) -> Result<Outcome<Value>, Failure> {
        loop {
            std::hint::black_box(());
        }
    }
}

step! {
    EndlessLoop,
    name: "endless-loop",
    version: 1,
    identity: Identity::EventKey,
    window: Window::ForEver,
    response: Response::Original,
}
