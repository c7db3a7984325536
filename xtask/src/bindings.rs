//! `bindings`: the SDK's raw types and functions, from the WIT files.
//!
//! Owns how they are generated and where they stand. A file that is already so is left alone.

use crate::paths::Paths;
use anyhow::Context;
use anyhow::anyhow;
use std::path::PathBuf;
use wit_bindgen_core::Files;
use wit_bindgen_core::WorldGenerator as _;
use wit_bindgen_core::wit_parser::Resolve;
use wit_bindgen_rust::Opts;

/// The world that steps are written for.
const WORLD: &str = "step";

/// Write them.
pub(crate) fn write(paths: &Paths) -> anyhow::Result<()> {
    let (file, text) = (file(paths), generated(paths)?);
    if std::fs::read_to_string(&file).ok().as_ref() == Some(&text) {
        eprintln!("bindings: {} is as the WIT files say", file.display());
        return Ok(());
    }
    let writing = || format!("writing {}", file.display());
    std::fs::create_dir_all(file.parent().with_context(writing)?).with_context(writing)?;
    std::fs::write(&file, text).with_context(writing)?;
    eprintln!("bindings: {} is new", file.display());
    Ok(())
}

fn file(paths: &Paths) -> PathBuf {
    paths.root.join("guest-sdk/src/generated/step.rs")
}

fn generated(paths: &Paths) -> anyhow::Result<String> {
    let wit = paths.root.join("wit/since_v0.1.0");
    let reading = || format!("reading the interfaces in {}", wit.display());
    let mut resolve = Resolve::default();
    let (package, _) = resolve.push_path(&wit).map_err(|error| anyhow!("{error:#}")).with_context(reading)?;
    let world = resolve
        .select_world(&[package], Some(WORLD))
        .map_err(|error| anyhow!("{error:#}"))
        .with_context(reading)?;
    let options = Opts {
        format: true,
        pub_export_macro: true,
        export_macro_name: Some("export_component".to_owned()),
        ..Opts::default()
    };
    let mut files = Files::default();
    let generating = "generating the SDK's bindings";
    options
        .build()
        .generate(&mut resolve, world, &mut files)
        .map_err(|error| anyhow!("{error:#}"))
        .context(generating)?;
    let (_, bytes) = files.iter().next().context(generating)?;
    String::from_utf8(bytes.to_vec()).context(generating)
}

#[cfg(test)]
mod tests {
    use super::file;
    use super::generated;
    use crate::paths::Paths;

    #[test]
    fn the_sdks_bindings_are_what_the_wit_files_say() {
        let paths = Paths::find().expect("a checkout");
        let stands = std::fs::read_to_string(file(&paths)).expect("it is there");
        let is = generated(&paths).expect("the files can be read");
        assert!(stands == is, "the WIT files have changed; run `cargo xtask bindings`");
    }
}
