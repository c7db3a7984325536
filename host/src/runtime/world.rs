//! What a component is, read before anything is compiled: its world's version and its imports.

use crate::runtime::imports::{Imports, PACKAGE, VERSION};
use wasmparser::{Encoding, Parser, Payload};

/// Why a file is not a step.
#[derive(Debug, thiserror::Error)]
pub enum WorldError {
    /// It is not WebAssembly, or is damaged.
    #[error(
        "it is not a WebAssembly component ({0}); build the step for wasm32-unknown-unknown and give the component that comes out"
    )]
    NotWasm(String),
    /// It is a core module.
    #[error(
        "it is a core WebAssembly module, not a component; link it with wasm-component-ld, or turn it into a component with wasm-tools"
    )]
    CoreModule,
    /// It exports no step.
    #[error("it exports no {PACKAGE}/guest, so it is no step; export one with the onceward-guest SDK")]
    NoGuest,
    /// It was built for other interfaces.
    #[error(
        "it was built for {found}, and this host offers {PACKAGE}/guest@{VERSION}; rebuild it with a matching onceward-guest"
    )]
    OtherVersion {
        /// The exported interface.
        found: String,
    },
    /// It wants more than the primitives.
    #[error(
        "it imports {}, and a step may import {PACKAGE} interfaces of version {VERSION} and WASI alone; build it for the world in wit/since_v0.1.0",
        .imports.join(", ")
    )]
    ForeignImports {
        /// The imports by name.
        imports: Vec<String>,
    },
}

/// Refuse what is not a step for this host. What it imports, where it is.
pub fn check(bytes: &[u8]) -> Result<Imports, WorldError> {
    let names = top_level_names(bytes)?;
    let guest = format!("{PACKAGE}/guest@");
    let found = names.exports.iter().find(|name| name.starts_with(&guest)).ok_or(WorldError::NoGuest)?;
    if found[guest.len()..] != *VERSION {
        return Err(WorldError::OtherVersion { found: found.clone() });
    }
    Imports::of(names.imports).map_err(|foreign| WorldError::ForeignImports { imports: foreign })
}

struct Names {
    imports: Vec<String>,
    exports: Vec<String>,
}

/// The names that the component itself imports and exports, not those of what is nested in it.
fn top_level_names(bytes: &[u8]) -> Result<Names, WorldError> {
    let not_wasm = |error: wasmparser::BinaryReaderError| WorldError::NotWasm(error.message().to_owned());
    let mut names = Names { imports: Vec::new(), exports: Vec::new() };
    let mut depth = 0_u32;
    for payload in Parser::new(0).parse_all(bytes) {
        match payload.map_err(not_wasm)? {
            Payload::Version { encoding: Encoding::Module, .. } if depth == 0 => {
                return Err(WorldError::CoreModule);
            }
            Payload::ModuleSection { .. } | Payload::ComponentSection { .. } => depth += 1,
            Payload::End(_) => depth = depth.saturating_sub(1),
            Payload::ComponentImportSection(section) if depth == 0 => {
                for import in section {
                    names.imports.push(import.map_err(not_wasm)?.name.name.to_owned());
                }
            }
            Payload::ComponentExportSection(section) if depth == 0 => {
                for export in section {
                    names.exports.push(export.map_err(not_wasm)?.name.name.to_owned());
                }
            }
            _ => {}
        }
    }
    Ok(names)
}
