//! How the receiver dies when a fault says so.
//!
//! Owns the one difference between the two forms: the process aborts, the receiver inside a test
//! drops its whole runtime. Either way every connection breaks without another byte, and nothing
//! is flushed or finished first.

use std::convert::Infallible;
use std::sync::Arc;

use tokio::sync::Notify;

/// How to die.
#[derive(Clone, Debug)]
pub(super) enum Crash {
    /// `SIGABRT`, as the process form does.
    Abort,
    /// Wakes the thread that holds the runtime; it then drops it.
    Stop(Arc<Notify>),
}

impl Crash {
    /// Dies. It never returns: the caller is dropped with everything else.
    pub(super) async fn now(&self) -> Infallible {
        match self {
            Self::Abort => std::process::abort(),
            Self::Stop(stop) => {
                stop.notify_one();
                std::future::pending().await
            }
        }
    }
}
