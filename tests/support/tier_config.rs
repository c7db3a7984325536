//! A host whose every event has an effect at each tier.
//!
//! Owns the configuration: the step `every_tier`, a scripted model that it asks, and a receiver that is four destinations. Each
//! destination has its tier's name, and so has what the receiver keeps of it. An event is `{"event": NAME}`.

use crate::lead_config;
use crate::paths;
use crate::workspace::Workspace;
use onceward::contract::tier::Tier;
use std::path::Path;

/// The tiers, by the names of destinations and of what the receiver keeps.
pub const TIERS: [Tier; 4] = [Tier::Key, Tier::Field, Tier::Lookup, Tier::Blind];

/// Where events are posted.
pub const EVENTS: &str = "/v1/sources/events/events";

/// A workspace with the receiver at this address.
///
/// # Errors
/// Where a file can't be written.
pub fn workspace(dir: &Path, receiver_url: &str) -> anyhow::Result<Workspace> {
    let workspace = Workspace::with_config(dir, &config(receiver_url))?;
    workspace.write("oracle.json", r#"{"rules": [], "otherwise": {"said": "yes"}}"#)?;
    Ok(workspace)
}

fn config(receiver_url: &str) -> String {
    let names = TIERS.map(Tier::word);
    let grants = format!("models = [\"oracle\"]\ndestinations = {names:?}");
    let head = format!("[runtime]\ncache_dir = {:?}\n", paths::compile_cache().display().to_string());
    let rest = "[model.oracle]\nkind = \"scripted\"\nrules = \"oracle.json\"\ndelay_ms = 10\n\
                [source.events]\nkind = \"json\"\nopen = true\nid = { pointer = \"/event\" }\n";
    let mut config = [head, lead_config::step("every_tier", &grants), rest.to_owned()].join("\n");
    for tier in TIERS {
        let name = tier.word();
        config.push_str(&lead_config::destination(name, tier, receiver_url, name, "/event"));
    }
    config
}
