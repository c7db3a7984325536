//! `onceward new`: a step to begin with, which builds and passes its own test as it is.

use crate::cli::Ending;
use crate::cli::author::sdk;
use crate::cli::author::template;
use crate::cli::init::write_new;
use crate::cli::output;
use anyhow::{Result, bail};
use clap::ValueEnum;
use onceward_toolchain::{Interpreted, Language};
use std::path::PathBuf;

/// The longest name of a step, in bytes; it stands in every readable key.
const NAME_MAX: usize = 64;

/// Arguments of `new`.
#[derive(Debug, clap::Args)]
pub(in crate::cli) struct Args {
    /// The folder to make. Its last part is the step's name: small letters, digits and single hyphens.
    #[arg(value_name = "DIR")]
    dir: PathBuf,
    /// The language to write it in.
    #[arg(long, value_enum, default_value_t = Lang::Rust)]
    lang: Lang,
}

/// A language by the name that people type.
#[derive(Debug, Clone, Copy, ValueEnum)]
enum Lang {
    Rust,
    Ts,
    Python,
}

impl Lang {
    const fn language(self) -> Language {
        match self {
            Self::Rust => Language::Rust,
            Self::Ts => Language::Interpreted(Interpreted::TypeScript),
            Self::Python => Language::Interpreted(Interpreted::Python),
        }
    }
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
    let language = args.lang.language();
    let mut files = template::files(language, name);
    files.extend(sdk::files(language)?.into_iter().map(|(path, text)| (format!("sdk/{path}"), text)));
    for (path, text) in &files {
        write_new(&dir.join(path), text)?;
    }
    output::line(format!("{} holds the step {name:?}", dir.display()))?;
    for (command, what) in [
        (format!("cd {}", dir.display()), ""),
        (template::test(language).to_owned(), "its logic, natively"),
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

#[cfg(test)]
mod tests {
    use super::check;

    #[test]
    fn a_name_is_one_for_a_crate_a_type_and_a_contract() {
        for name in ["a", "lead-router", "v2-step"] {
            assert!(check(name).is_ok(), "{name}");
        }
        for name in ["", "-a", "a-", "a--b", "A", "2a", "a_b", "ä", &"a".repeat(65)] {
            assert!(check(name).is_err(), "{name}");
        }
    }
}
