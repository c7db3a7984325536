//! Configurations of the lead flow: its two steps in the middle, or all of it.
//!
//! Owns the text alone. Budgets are generous and delays short, so that a test that kills a host often is not told that
//! an attempt was the last one.

use crate::paths;
use onceward::contract::tier::Tier;

/// The schedule of everything.
const RETRY: &str = "retry = { base_ms = 20, ceiling_ms = 200, attempts_max = 1000 }";

/// What every destination has.
const HTTP: &str = "\
allow_private_addresses = true
connect_timeout_ms = 1000
request_timeout_ms = 1000
lease_ms = 6000
breaker = { base_ms = 20, ceiling_ms = 200 }
reference = \"/id\"";

/// The classifier and the CRM writer, a scripted model that logs its calls, and a CRM that takes keys at this address.
#[must_use]
pub fn middle(crm_url: &str) -> String {
    [
        head(&["lead-classifier", "crm-writer"]),
        step("lead_classifier", "models = [\"classifier\"]"),
        step("crm_writer", "destinations = [\"crm\"]"),
        model(),
        format!("[destination.crm]\nkind = \"http\"\nurl = \"{crm_url}\"\ntier = \"key\"\n{HTTP}\n{RETRY}\n"),
    ]
    .join("\n")
}

/// All six steps, a scripted model that logs its calls, and the receiver at this address as CRM, message service and
/// keeper of owners, each of this tier.
#[must_use]
pub fn whole(receiver_url: &str, tier: Tier) -> String {
    [
        head(&["lead-intake", "lead-classifier", "crm-writer", "reply-writer"]),
        step("lead_intake", ""),
        step("lead_classifier", "models = [\"classifier\"]"),
        step("crm_writer", "destinations = [\"crm\"]"),
        step("reply_writer", "destinations = [\"messages\"]"),
        step("reply_recorder", ""),
        step("deal_owner", "destinations = [\"crm-owner\"]"),
        model(),
        destination("crm", tier, receiver_url, "deals", "/reference/message_id"),
        destination("messages", tier, receiver_url, "messages", "/in_reply_to/message_id"),
        destination("crm-owner", tier, receiver_url, "owners", "/deal"),
    ]
    .join("\n")
}

fn head(flow: &[&str]) -> String {
    format!("flow = {flow:?}\n\n[runtime]\ncache_dir = {:?}\n", paths::compile_cache().display().to_string())
}

/// A built step with what it is granted, tried again soon.
#[must_use]
pub fn step(name: &str, grants: &str) -> String {
    let plugin = paths::step(name).display().to_string();
    format!("[[step]]\nplugin = {plugin:?}\n{grants}\n{RETRY}\n")
}

fn model() -> String {
    "[model.classifier]\nkind = \"scripted\"\nrules = \"classifier.rules.json\"\ncall_log = \"model-calls.jsonl\"\n"
        .to_owned()
}

/// A destination at the receiver's address for rows of this kind and tier. `field` is what tells two rows of the kind
/// apart.
#[must_use]
pub fn destination(name: &str, tier: Tier, receiver_url: &str, kind: &str, field: &str) -> String {
    let address = match tier {
        Tier::Key => format!("url = \"{receiver_url}/any/{kind}\""),
        Tier::Field => format!("url = \"{receiver_url}/upsert/{kind}/{{{field}}}\"\nmethod = \"PUT\""),
        Tier::Lookup => format!(
            "url = \"{receiver_url}/plain/{kind}\"\nfingerprint = \"/external_id\"\nsettling_ms = 0\n\
             look_up = {{ url = \"{receiver_url}/search/{kind}?field=/external_id&value={{key}}\", \
             found = \"/found/0/id\" }}"
        ),
        Tier::Blind => format!("url = \"{receiver_url}/plain/{kind}\""),
    };
    format!("[destination.{name}]\nkind = \"http\"\ntier = \"{}\"\n{address}\n{HTTP}\n{RETRY}\n", tier.word())
}
