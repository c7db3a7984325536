//! The SDK that fits this host, as `onceward new` writes it beside a step: no registry has it, and no other version is meant.

use anyhow::{Context as _, Result};
use onceward_toolchain::{Interpreted, Language};
use toml::{Table, Value};

/// Files as they stand in the repository, by their paths there.
macro_rules! files {
    ($name:ident: $($dir:literal : [$($file:literal),* $(,)?]),* $(,)?) => {
        const $name: &[(&str, &str)] = &[$($((
            concat!($dir, "/", $file),
            include_str!(concat!("../../../../", $dir, "/", $file)),
        )),*),*];
    };
}

files! {
    RUST:
    "guest-sdk": ["README.md"],
    "guest-sdk/src": [
        "bindings.rs", "context.rs", "contract.rs", "decisions.rs", "export.rs", "host.rs", "journal.rs", "ledger.rs",
        "lib.rs", "misfit.rs", "outbox.rs", "outcome.rs", "progress.rs", "receipt.rs", "step.rs", "testing.rs", "work.rs",
    ],
    "guest-sdk/src/generated": ["step.rs"],
    "guest-sdk/src/host": ["native.rs"],
}

files! {
    TYPESCRIPT:
    "guest-sdk/typescript": ["README.md", "build.mjs", "package.json"],
    "guest-sdk/typescript/src": [
        "component.ts", "context.ts", "contract.ts", "decisions.ts", "failure.ts", "host.ts", "index.ts", "journal.ts", "json.ts",
        "ledger.ts", "onceward-step.d.ts", "outbox.ts", "prelude.ts", "progress.ts", "receipt.ts", "step.ts", "testing.ts",
        "wit.ts",
    ],
}

files! {
    PYTHON:
    "guest-sdk/python": ["README.md", "build.py"],
    "guest-sdk/python/onceward_guest": [
        "__init__.py", "component.py", "context.py", "contract.py", "decisions.py", "failure.py", "host.py", "journal.py",
        "jsons.py", "ledger.py", "outbox.py", "prelude.py", "progress.py", "py.typed", "receipt.py", "step.py", "testing.py",
        "wit.py",
    ],
}

files! {
    WIT:
    "wit/since_v0.1.0": [
        "context.wit", "decisions.wit", "guest.wit", "journal.wit", "ledger.wit", "outbox.wit", "progress.wit", "world.wit",
    ],
}

/// What the workspace says about dependencies.
const WORKSPACE: &str = include_str!("../../../../Cargo.toml");

/// The SDK's own manifest.
const MANIFEST: &str = include_str!("../../../../guest-sdk/Cargo.toml");

/// Every file of the language's SDK and of the interfaces, with its path below the folder that the SDK gets.
pub(super) fn files(language: Language) -> Result<Vec<(String, String)>> {
    let (home, own) = match language {
        Language::Rust => ("guest-sdk/", RUST),
        Language::Interpreted(Interpreted::TypeScript) => ("guest-sdk/typescript/", TYPESCRIPT),
        Language::Interpreted(Interpreted::Python) => ("guest-sdk/python/", PYTHON),
    };
    let files = own.iter().chain(WIT).map(|(path, text)| {
        let path = path
            .strip_prefix(home)
            .map_or_else(|| (*path).to_owned(), |rest| format!("onceward-guest/{rest}"));
        (path, (*text).to_owned())
    });
    let mut files: Vec<_> = files.collect();
    if language == Language::Rust {
        files.push(("onceward-guest/Cargo.toml".to_owned(), manifest()?));
    }
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
    use super::{PYTHON, RUST, TYPESCRIPT, WIT, manifest};
    use std::collections::BTreeSet;
    use std::path::Path;

    /// The files in these folders, not in those below them.
    fn in_folders(dirs: &[&str]) -> BTreeSet<String> {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
        let mut found = BTreeSet::new();
        for dir in dirs {
            for entry in root.join(dir).read_dir().unwrap() {
                let entry = entry.unwrap();
                if entry.file_type().unwrap().is_file() {
                    found.insert(format!("{dir}/{}", entry.file_name().into_string().unwrap()));
                }
            }
        }
        found
    }

    #[test]
    fn every_file_of_the_sdks_and_of_the_interfaces_is_there() {
        for (listed, dirs) in [
            (
                RUST,
                &["guest-sdk", "guest-sdk/src", "guest-sdk/src/generated", "guest-sdk/src/host"] as &[&str],
            ),
            (TYPESCRIPT, &["guest-sdk/typescript", "guest-sdk/typescript/src"]),
            (PYTHON, &["guest-sdk/python", "guest-sdk/python/onceward_guest"]),
            (WIT, &["wit/since_v0.1.0"]),
        ] {
            let listed: BTreeSet<String> = listed.iter().map(|(path, _)| (*path).to_owned()).collect();
            let mut found = in_folders(dirs);
            // It is written for where it goes.
            found.remove("guest-sdk/Cargo.toml");
            assert_eq!(listed, found);
        }
    }

    #[test]
    fn the_manifest_stands_alone() {
        let text = manifest().unwrap();
        assert!(!text.contains("workspace") && text.contains("[dependencies.wit-bindgen]"), "{text}");
    }
}
