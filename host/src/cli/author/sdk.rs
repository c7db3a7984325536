//! The SDK that fits this host, as `onceward new` writes it beside a step: no registry has it, and no other version is meant.

use anyhow::{Context as _, Result};
use toml::{Table, Value};

/// The crate and the interfaces, by their paths below the step's folder `sdk`.
macro_rules! files {
    ($($dir:literal : [$($name:literal),* $(,)?]),* $(,)?) => {
        /// The files as they stand in the repository.
        const FILES: &[(&str, &str)] = &[$($((
            concat!($dir, "/", $name),
            include_str!(concat!("../../../../", $dir, "/", $name)),
        )),*),*];
    };
}

files! {
    "guest-sdk": ["README.md"],
    "guest-sdk/src": [
        "bindings.rs", "context.rs", "contract.rs", "decisions.rs", "export.rs", "host.rs", "journal.rs", "ledger.rs",
        "lib.rs", "misfit.rs", "outbox.rs", "outcome.rs", "progress.rs", "receipt.rs", "step.rs", "testing.rs", "work.rs",
    ],
    "guest-sdk/src/host": ["native.rs"],
    "wit/since_v0.1.0": [
        "context.wit", "decisions.wit", "guest.wit", "journal.wit", "ledger.wit", "outbox.wit", "progress.wit", "world.wit",
    ],
}

/// What the workspace says about dependencies.
const WORKSPACE: &str = include_str!("../../../../Cargo.toml");

/// The SDK's own manifest.
const MANIFEST: &str = include_str!("../../../../guest-sdk/Cargo.toml");

/// Every file with its path below the folder that the SDK gets.
pub(super) fn files() -> Result<Vec<(String, String)>> {
    let mut files = vec![("onceward-guest/Cargo.toml".to_owned(), manifest()?)];
    files.extend(FILES.iter().map(|(path, text)| {
        let path = path
            .strip_prefix("guest-sdk/")
            .map_or_else(|| (*path).to_owned(), |rest| format!("onceward-guest/{rest}"));
        (path, (*text).to_owned())
    }));
    Ok(files)
}

/// The manifest without its workspace.
fn manifest() -> Result<String> {
    let reading = "reading the SDK's manifest";
    let workspace: Table = WORKSPACE.parse().context(reading)?;
    let own: Table = MANIFEST.parse().context(reading)?;
    let known = workspace["workspace"]["dependencies"].as_table().context(reading)?;
    let mut dependencies = Table::new();
    for name in own["dependencies"].as_table().context(reading)?.keys() {
        dependencies.insert(name.clone(), known.get(name).context(reading)?.clone());
    }
    let mut package = Table::new();
    for (key, value) in [
        ("name", own["package"]["name"].clone()),
        ("description", own["package"]["description"].clone()),
        ("version", Value::from(env!("CARGO_PKG_VERSION"))),
        ("edition", workspace["workspace"]["package"]["edition"].clone()),
        ("rust-version", workspace["workspace"]["package"]["rust-version"].clone()),
        ("publish", Value::from(false)),
    ] {
        package.insert(key.to_owned(), value);
    }
    let mut manifest = Table::new();
    manifest.insert("package".to_owned(), Value::Table(package));
    manifest.insert("dependencies".to_owned(), Value::Table(dependencies));
    let head = "# Written by `onceward new`, to fit the host that wrote it. Not yours to edit.\n";
    Ok(format!("{head}{}", toml::to_string(&manifest).context(reading)?))
}

#[cfg(test)]
mod tests {
    use super::{FILES, manifest};
    use std::collections::BTreeSet;
    use std::path::Path;

    #[test]
    fn every_file_of_the_sdk_and_of_the_interfaces_is_there() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
        let mut found = BTreeSet::from(["guest-sdk/README.md".to_owned()]);
        for dir in ["guest-sdk/src", "guest-sdk/src/host", "wit/since_v0.1.0"] {
            for entry in root.join(dir).read_dir().unwrap() {
                let entry = entry.unwrap();
                if entry.file_type().unwrap().is_file() {
                    found.insert(format!("{dir}/{}", entry.file_name().into_string().unwrap()));
                } else {
                    assert_eq!((dir, entry.file_name().to_str()), ("guest-sdk/src", Some("host")), "list it");
                }
            }
        }
        let listed: BTreeSet<String> = FILES.iter().map(|(path, _)| (*path).to_owned()).collect();
        assert_eq!(listed, found);
    }

    #[test]
    fn the_manifest_stands_alone() {
        let text = manifest().unwrap();
        assert!(!text.contains("workspace") && text.contains("[dependencies.wit-bindgen]"), "{text}");
    }
}
