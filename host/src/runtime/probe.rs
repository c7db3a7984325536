//! What is told of every call that a step makes into the host, before the call is answered.
//!
//! A step acts through these calls alone, so whoever can hold each of them can stop a run at every place where it
//! could matter: `verify` does. A host that serves has none.

use async_trait::async_trait;

/// Somebody who is told of each call, and may hold it.
#[async_trait]
pub trait Probe: Send + Sync {
    /// A step calls a function of the host, named `interface.function` as in the WIT. The call goes on when this returns;
    /// a future that never does holds the run for good, like a host that died there.
    async fn host_call(&self, function: &'static str);
}
