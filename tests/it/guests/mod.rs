//! The sandbox in this process: what each test guest does through the host, and what the host does to it.

mod acts;
mod bad;
mod budgets;
mod by_hand;
mod decisions;
mod from_javascript;
mod held;
mod hostile;
mod limits;
mod outcomes;
mod over_wasi;
mod plugins;
mod primitives;
mod read_only;
mod refusals;

use std::path::Path;
use support::host::HostBuilder;
use support::host::TestHost;

/// A host with one step, the built guest of this name.
async fn host(dir: &Path, guest: &str) -> TestHost {
    HostBuilder::new(dir).step(guest).start().await
}
