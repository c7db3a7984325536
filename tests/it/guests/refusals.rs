//! What is not a step for this host is refused before it runs, with the reason.

use onceward::contract::step::ContractError;
use onceward::runtime::imports::Imports;
use onceward::runtime::limits::Limits;
use onceward::runtime::plugin::LoadError;
use onceward::runtime::world::WorldError;
use std::error::Error as _;
use support::host::HostBuilder;
use support::host::TestHost;
use support::paths;

const FOREIGN_IMPORT: &str = include_str!("../../guests/wat/foreign_import.wat");
const NO_CONTRACT: &str = include_str!("../../guests/wat/no_contract.wat");
const OTHER_WORLD: &str = include_str!("../../guests/wat/other_world.wat");

async fn refusal(host: &TestHost, bytes: &[u8]) -> LoadError {
    host.runtime.loader().load(bytes, &Limits::default()).await.expect_err("it is no step")
}

async fn bare() -> (tempfile::TempDir, TestHost) {
    let dir = tempfile::tempdir().expect("a folder can be made");
    let host = HostBuilder::new(dir.path()).start().await;
    (dir, host)
}

fn wat(text: &str) -> Vec<u8> {
    wat::parse_str(text).expect("the text is well-formed")
}

#[tokio::test]
async fn a_foreign_import_is_named() {
    let (_dir, host) = bare().await;
    let error = refusal(&host, &wat(FOREIGN_IMPORT)).await;
    let LoadError::World(WorldError::ForeignImports { imports }) = &error else { panic!("{error}") };
    assert_eq!(imports, &["example:host/environment@1.0.0"]);
    assert!(
        error.to_string().starts_with("it imports example:host/environment@1.0.0, and a step may import"),
        "{error}"
    );
}

#[tokio::test]
async fn an_own_interface_of_another_version_is_foreign_too() {
    let (_dir, host) = bare().await;
    for import in ["onceward:step/journal@0.2.0", "onceward:step/journal", "onceward:step/clock@0.1.0"] {
        let text = FOREIGN_IMPORT.replace("example:host/environment@1.0.0", import);
        let error = refusal(&host, &wat(&text)).await;
        let LoadError::World(WorldError::ForeignImports { imports }) = &error else { panic!("{error}") };
        assert_eq!(imports, &[import]);
    }
}

#[tokio::test]
async fn an_other_world_is_named_with_its_version() {
    let (_dir, host) = bare().await;
    let error = refusal(&host, &wat(OTHER_WORLD)).await;
    let LoadError::World(WorldError::OtherVersion { found }) = &error else { panic!("{error}") };
    assert_eq!(found, "onceward:step/guest@0.9.0");
    assert!(error.to_string().contains("this host offers onceward:step/guest@0.1.0"), "{error}");
}

#[tokio::test]
async fn a_component_without_a_guest_is_no_step() {
    let (_dir, host) = bare().await;
    let error = refusal(&host, &wat(NO_CONTRACT)).await;
    assert!(matches!(error, LoadError::World(WorldError::NoGuest)), "{error}");
}

#[tokio::test]
async fn a_core_module_is_told_from_a_component() {
    let (_dir, host) = bare().await;
    let error = refusal(&host, &wat("(module (func (export \"handle\")))")).await;
    assert!(matches!(error, LoadError::World(WorldError::CoreModule)), "{error}");
}

#[tokio::test]
async fn damaged_files_are_no_components() {
    let (_dir, host) = bare().await;
    let echo = paths::step_bytes("echo");
    let check = async |what: &str, bytes: &[u8]| {
        let error = refusal(&host, bytes).await;
        assert!(matches!(error, LoadError::World(WorldError::NotWasm(_))), "{what}: {error}");
    };
    check("an empty file", b"").await;
    check("text", b"#!/bin/sh\necho hello\n").await;
    check("a header alone, cut", &echo[..7]).await;
    check("half a component", &echo[..echo.len() / 2]).await;
    check("all but the last byte", &echo[..echo.len() - 1]).await;
}

#[tokio::test]
async fn a_damaged_byte_never_loads_as_another_step() {
    let (_dir, host) = bare().await;
    let echo = paths::step_bytes("echo");
    // Bytes of the component's structure; a flipped bit in the code may well be another program.
    for place in [0, 4, 6, 8, 9, 10] {
        let mut bytes = echo.clone();
        bytes[place] ^= 0x41;
        refusal(&host, &bytes).await;
    }
}

/// A whole step that imports nothing, with this body of its function `contract`.
fn without_imports(contract: &str) -> String {
    let begin = FOREIGN_IMPORT.find("(import").expect("it has an import");
    let end = begin + FOREIGN_IMPORT[begin..].find("))\n  ))").expect("the import ends") + "))\n  ))".len();
    format!("{}{}", &FOREIGN_IMPORT[..begin], &FOREIGN_IMPORT[end..]).replace(
        "(func (export \"contract\") (result i32) unreachable)",
        &format!("(func (export \"contract\") (result i32) {contract})"),
    )
}

/// One whose contract begins with these bytes: the record `declaration`, flattened.
fn declares(contract: &[u8]) -> Vec<u8> {
    let data: String = contract.iter().map(|byte| format!("\\{byte:02x}")).collect();
    let text = without_imports("i32.const 0")
        .replace(
            "(memory (export \"memory\") 1)",
            &format!(
                "(memory (export \"memory\") 1) (data (i32.const 0) \"{data}\") (data (i32.const 256) \"tiny Tiny\")"
            ),
        );
    wat(&text)
}

/// Name (address and length), version, and the case of the identity, little-endian.
fn head(name_at: u32, name_bytes: u32, version: u32, identity: u32) -> Vec<u8> {
    [name_at, name_bytes, version, identity].iter().flat_map(|word| word.to_le_bytes()).collect()
}

const EVENT_KEY: u32 = 0;
const BUSINESS_KEY: u32 = 1;

#[tokio::test]
async fn a_contract_that_cannot_work_is_refused_for_what_is_wrong_with_it() {
    let (_dir, host) = bare().await;
    let fine = declares(&head(256, 4, 1, EVENT_KEY));
    let plugin =
        host.runtime.loader().load(&fine, &Limits::default()).await.expect("the smallest step is one");
    assert_eq!((plugin.contract().name.as_str(), plugin.imports()), ("tiny", &Imports::default()));

    let refused = async |contract: Vec<u8>| match refusal(&host, &declares(&contract)).await {
        LoadError::Refused(error) => error,
        other => panic!("the contract is at fault: {other}"),
    };
    let error = refused(head(256, 0, 1, EVENT_KEY)).await;
    assert!(matches!(&error, ContractError::Name(name) if name.is_empty()), "{error}");
    let error = refused(head(261, 4, 1, EVENT_KEY)).await;
    assert!(matches!(&error, ContractError::Name(name) if name == "Tiny"), "{error}");
    let error = refused(head(256, 4, 0, EVENT_KEY)).await;
    assert!(matches!(&error, ContractError::Version(name) if name == "tiny"), "{error}");
    let error = refused(head(256, 4, 1, BUSINESS_KEY)).await;
    assert!(matches!(&error, ContractError::Identity { step, .. } if step == "tiny"), "{error}");
}

#[tokio::test]
async fn a_contract_that_traps_or_lies_about_its_memory_is_refused() {
    let (_dir, host) = bare().await;
    let error = refusal(&host, &wat(&without_imports("unreachable"))).await;
    assert!(matches!(error, LoadError::Contract(_)), "{error}");
    // The declared identity does not exist; the name lies beyond the memory.
    for contract in [head(256, 4, 1, 7), head(u32::MAX, 4, 1, EVENT_KEY)] {
        let error = refusal(&host, &declares(&contract)).await;
        assert!(matches!(error, LoadError::Contract(_)), "{error}");
    }
}

#[tokio::test]
async fn a_contract_that_never_ends_is_given_up() {
    let (_dir, host) = bare().await;
    let error = refusal(&host, &wat(&without_imports("(loop $l br $l) unreachable"))).await;
    let LoadError::Contract(source) = &error else { panic!("{error}") };
    assert!(source.to_string().contains("longer than 2000 ms"), "{source}");
    assert!(error.source().is_some());
}
