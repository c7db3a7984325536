//! The steps that come with the host, each alone and all of them as a flow; and what every built step may import.

/// Each of these claims as a test for the classifier in each language.
macro_rules! in_each_language {
    ($($claim:ident),* $(,)?) => {
        in_each_language!(@as rust "lead_classifier" [$($claim)*]);
        in_each_language!(@as typescript "lead_classifier_ts" [$($claim)*]);
        in_each_language!(@as python "lead_classifier_py" [$($claim)*]);
    };
    (@as $language:ident $file:literal [$($claim:ident)*]) => {
        mod $language {
            $(
                #[tokio::test]
                async fn $claim() {
                    super::$claim($file).await;
                }
            )*
        }
    };
}

mod intake;
mod invoices;
mod languages;
mod leads;
mod listings;
mod owners;
mod replies;

use onceward::connectors::{Envelope, Method};
use onceward::contract::tier::Tier;
use onceward::runtime::limits::Limits;
use onceward::store::approval::Approved;
use onceward::store::operate::Actor;
use onceward::store::outbox::{OutboxRow, RowRef, RowState};
use serde_json::Value;
use std::path::Path;
use support::host::{HostBuilder, NAMESPACE, TestHost};
use support::paths;
use support::receiver::Receiver;

/// The lead flow with its six steps, and one receiver for deals, messages and owners.
struct LeadFlow {
    host: TestHost,
    receiver: Receiver,
    _dir: tempfile::TempDir,
}

/// The flow's first step.
const INTAKE: &str = "lead-intake";

/// What the model answers.
const TRIAGE: &str = r#"{"type":"new-business","priority":"high","summary":"Wants a quote.","reply":"Thank you!",
    "confidence":0.9}"#;

impl LeadFlow {
    async fn start() -> Self {
        let dir = tempfile::tempdir().expect("a temporary folder");
        let receiver = Receiver::start(&dir.path().join("receiver")).expect("a receiver");
        let host = Self::builder(dir.path(), &receiver).step("deal_owner").start().await;
        Self { host, receiver, _dir: dir }
    }

    /// All but the step that gives a deal its owner.
    fn builder(dir: &Path, receiver: &Receiver) -> HostBuilder {
        let mut owners = Envelope::new(receiver.url("/upsert/owners/{/deal}"));
        owners.method = Method::Put;
        HostBuilder::new(dir)
            .step("lead_intake")
            .step("lead_classifier")
            .step("crm_writer")
            .step("reply_writer")
            .step("reply_recorder")
            .flow(&[INTAKE, "lead-classifier", "crm-writer", "reply-writer"])
            .crm_at(&receiver.url("/deals"))
            .also("messages", Tier::Key, with_reference(&receiver.url("/messages")))
            .also("crm-owner", Tier::Field, owners)
    }

    /// Run and deliver until nothing moves any more.
    async fn quiet(&self) {
        while !self.host.work_off().await.is_empty() | !self.host.deliver_off().await.attempts.is_empty() {}
    }

    /// The only row to a destination.
    async fn row_to(&self, destination: &str) -> OutboxRow {
        let rows = self.host.rows().await;
        let mut rows: Vec<_> = rows.into_iter().filter(|row| row.destination == destination).collect();
        assert_eq!(rows.len(), 1, "one row to {destination} is expected: {rows:?}");
        rows.remove(0)
    }

    /// What the receiver has of a kind, in the order in which it came.
    async fn received(&self, kind: &str) -> Vec<Value> {
        received(&self.receiver, kind).await
    }
}

async fn received(receiver: &Receiver, kind: &str) -> Vec<Value> {
    let deals = receiver.deals().await.expect("the receiver's file");
    let of_kind = deals.into_iter().filter(|deal| deal.kind == kind);
    of_kind.map(|deal| serde_json::from_str(&deal.body).expect("a body is JSON")).collect()
}

/// An address whose answers hold an id.
fn with_reference(url: &str) -> Envelope {
    let mut envelope = Envelope::new(url);
    envelope.reference = Some("/id".to_owned());
    envelope
}

/// A person lets a row go.
async fn approve(host: &TestHost, row: &OutboxRow, name: &str) -> Approved {
    let id = RowRef { namespace: NAMESPACE.to_owned(), id: row.row_id };
    let actor = Actor { name: name.to_owned(), reason: "it reads well".to_owned(), action: None };
    host.store.outbox_approve(id, Some(row.payload_hash), actor).await.expect("the ledger works")
}

/// The rows that wait for a person.
async fn held(host: &TestHost) -> Vec<OutboxRow> {
    host.rows().await.into_iter().filter(|row| row.state == RowState::Held).collect()
}

#[tokio::test]
async fn every_built_step_imports_interfaces_of_this_host_alone() {
    let dir = tempfile::tempdir().unwrap();
    let host = HostBuilder::new(dir.path()).start().await;
    let steps = paths::step("echo").parent().unwrap().to_owned();
    let mut seen = 0;
    for entry in std::fs::read_dir(steps).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_none_or(|extension| extension != "wasm") {
            continue;
        }
        let plugin =
            host.runtime.loader().load(&std::fs::read(&path).unwrap(), &Limits::default()).await.unwrap();
        let built = path.file_stem().and_then(|stem| stem.to_str()).unwrap_or_default();
        // What is not a primitive is not even linked, but for the one step that is built over WASI on purpose.
        let imports = plugin.imports();
        let is_over_wasi = !imports.answered.is_empty() || !imports.absent.is_empty();
        assert_eq!(is_over_wasi, built == "from_javascript", "{built} imports {imports:?}");
        // The same step under a raised version, or in another language, stands beside the first.
        let suffix = ["_raised", "_ts", "_py"].into_iter().find_map(|suffix| built.strip_suffix(suffix));
        let named = suffix.unwrap_or(built).replace('_', "-");
        assert_eq!(plugin.contract().name, named, "a step's file is named like the step");
        seen += 1;
    }
    assert!(seen >= 36, "{seen} steps are built");
}
