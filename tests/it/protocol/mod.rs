//! The step protocol and the delivery protocol in this process, against a receiver over real HTTP.

mod answers;
mod bulk;
mod clock_jumps;
mod connectors;
mod endings;
mod flow;
mod models;
mod pace;
mod receipts;
mod replayed;
mod reference;
mod rows;
mod mirror;
mod retention;
mod scenarios;
mod shutdowns;
mod tiers;
mod versions;

use onceward::dispatch::retry::RetryPolicy;
use onceward::identity::event::Event;
use serde_json::json;
use std::path::Path;
use support::host::HostBuilder;
use support::host::TestHost;
use support::host::event;
use support::receiver::Receiver;

/// A receiver whose store is in this folder.
fn receiver(dir: &Path) -> Receiver {
    Receiver::start(&dir.join("crm")).expect("the receiver starts")
}

/// A host that puts rows out, before its start.
fn enqueuer(dir: &Path, receiver: &Receiver) -> HostBuilder {
    HostBuilder::new(dir).step("enqueues").crm_at(&receiver.url("/deals"))
}

/// An event of which the step `enqueues` makes one row.
fn case(id: &str) -> Event {
    event(id, &json!({ "deal": { "title": id } }))
}

/// A started host with one row for each of these cases.
async fn with_rows(builder: HostBuilder, cases: &[&str]) -> TestHost {
    let host = builder.start().await;
    for id in cases {
        host.done("enqueues", &case(id)).await;
    }
    host
}

/// A second attempt is far enough away that a pass makes one alone.
fn slow() -> RetryPolicy {
    RetryPolicy { base_ms: 1_000_000, ceiling_ms: 1_000_000, ..RetryPolicy::default() }
}
