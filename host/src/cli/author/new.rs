//! `onceward new`: a step to begin with, which builds and passes its own test as it is.

use crate::cli::Ending;
use crate::cli::author::sdk;
use crate::cli::init::write_new;
use crate::cli::output;
use anyhow::{Result, bail};
use std::path::PathBuf;

/// The longest name of a step, in bytes; it stands in every readable key.
const NAME_MAX: usize = 64;

const MANIFEST: &str = include_str!("template/Cargo.toml.txt");
const SOURCE: &str = include_str!("template/lib.rs.txt");
const EVENT: &str = include_str!("template/event.json.txt");
const RULES: &str = include_str!("template/rules.json.txt");
const IGNORED: &str = include_str!("template/gitignore.txt");

/// Arguments of `new`.
#[derive(Debug, clap::Args)]
pub(in crate::cli) struct Args {
    /// The folder to make. Its last part is the step's name: small letters, digits and single hyphens.
    #[arg(value_name = "DIR")]
    dir: PathBuf,
}

pub(in crate::cli) fn new(args: &Args) -> Result<Ending> {
    let dir = &args.dir;
    let name = dir.file_name().and_then(|name| name.to_str()).unwrap_or_default();
    check(name)?;
    if dir.symlink_metadata().is_ok() {
        bail!(
            "making a step in {}: it is there already, and is left as it is; choose another name",
            dir.display()
        );
    }
    let fill = |text: &str| text.replace("@NAME@", name).replace("@TYPE@", &type_of(name));
    let mut files: Vec<(String, String)> = [
        ("Cargo.toml", fill(MANIFEST)),
        ("src/lib.rs", fill(SOURCE)),
        ("event.json", EVENT.to_owned()),
        ("rules.json", RULES.to_owned()),
        (".gitignore", IGNORED.to_owned()),
    ]
    .map(|(path, text)| (path.to_owned(), text))
    .into();
    files.extend(sdk::files()?.into_iter().map(|(path, text)| (format!("sdk/{path}"), text)));
    for (path, text) in &files {
        write_new(&dir.join(path), text)?;
    }
    output::line(format!("{} holds the step {name:?}", dir.display()))?;
    for (command, what) in [
        (format!("cd {}", dir.display()), ""),
        ("cargo test".to_owned(), "its logic, natively"),
        ("onceward build".to_owned(), "the component"),
        (format!("onceward verify {name}.wasm --event event.json"), "crash-test it"),
    ] {
        output::line(format!("  {command:<50}  {what}").trim_end())?;
    }
    Ok(Ending::Done)
}

/// Refuse a name that a crate, a Rust type or a contract can't have.
fn check(name: &str) -> Result<()> {
    let word =
        |word: &str| !word.is_empty() && word.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit());
    let begins = name.bytes().next().is_some_and(|first| first.is_ascii_lowercase());
    if name.len() > NAME_MAX || !begins || !name.split('-').all(word) {
        bail!(
            "making a step named {name:?}: a name has small letters, digits and single hyphens, begins with a letter, and has {NAME_MAX} bytes at most, such as lead-router"
        );
    }
    Ok(())
}

/// `LeadRouter` of `lead-router`.
fn type_of(name: &str) -> String {
    let words = name.split('-').map(|word| {
        let mut letters = word.chars();
        letters.next().map(|first| first.to_ascii_uppercase()).into_iter().chain(letters).collect::<String>()
    });
    words.collect()
}

#[cfg(test)]
mod tests {
    use super::{check, type_of};

    #[test]
    fn a_name_is_one_for_a_crate_a_type_and_a_contract() {
        for (name, type_name) in [("a", "A"), ("lead-router", "LeadRouter"), ("v2-step", "V2Step")] {
            assert!(check(name).is_ok(), "{name}");
            assert_eq!(type_of(name), type_name);
        }
        for name in ["", "-a", "a-", "a--b", "A", "2a", "a_b", "ä", &"a".repeat(65)] {
            assert!(check(name).is_err(), "{name}");
        }
    }
}
