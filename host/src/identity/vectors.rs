//! The shared vectors: what guests in other languages can run, run here first.
//!
//! Each file is a list of `{"name", "given", "expect"}` or `{"name", "given", "refused"}`; the folder's
//! README says what `given` and `expect` hold.

use std::collections::BTreeSet;
use std::fs;

use serde::Deserialize;
use serde_json::Value;
use serde_json::json;

use crate::identity::builtin::LATEST;
use crate::identity::builtin::Lists;
use crate::identity::canonical_json::canonical;
use crate::identity::canonical_json::parse;
use crate::identity::event::Event;
use crate::identity::key::RootKey;
use crate::identity::rules::Rules;
use crate::identity::time;
use crate::identity::url;
use crate::identity::work_id::Identity;
use crate::identity::work_id::cache_key;
use crate::identity::work_id::follow_up_id;
use crate::identity::work_id::identify;
use crate::identity::work_id::row_id;

const FOLDER: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../tests/vectors/identity");

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Vector<G> {
    name: String,
    given: G,
    expect: Option<Value>,
    refused: Option<String>,
}

fn check<G: serde::de::DeserializeOwned>(file: &str, answer: impl Fn(&G) -> Result<Value, &'static str>) {
    let text = fs::read_to_string(format!("{FOLDER}/{file}")).expect(file);
    let vectors: Vec<Vector<G>> = serde_json::from_str(&text).expect(file);
    let names: BTreeSet<&str> = vectors.iter().map(|vector| vector.name.as_str()).collect();
    assert_eq!(names.len(), vectors.len(), "{file}: two vectors share a name");
    let (mut accepted, mut refused) = (0, 0);
    for vector in &vectors {
        match (&vector.expect, &vector.refused, answer(&vector.given)) {
            (Some(expected), None, found) => {
                assert_eq!(found.as_ref(), Ok(expected), "{file}: {}", vector.name);
                accepted += 1;
            }
            (None, Some(code), found) => {
                assert_eq!(found, Err(code.as_str()), "{file}: {}", vector.name);
                refused += 1;
            }
            _ => panic!("{file}: {} needs either `expect` or `refused`", vector.name),
        }
    }
    assert!(accepted > 0, "{file} has no accepted vector");
    assert!(refused > 0 || file == "derived.json", "{file} has no refused vector");
}

#[derive(Deserialize)]
struct TextGiven {
    text: String,
}

#[test]
fn canonical_json_matches_the_vectors() {
    check("canonical.json", |given: &TextGiven| match parse(&given.text) {
        Ok(value) => Ok(json!({"canonical": canonical(&value)})),
        Err(error) => Err(error.code()),
    });
}

#[test]
fn urls_match_the_vectors() {
    let lists = Lists::of(1).expect("revision 1 is always known");
    check("url.json", |given: &TextGiven| match url::normalise(&given.text, lists) {
        Ok(normal) => Ok(json!({"normal": normal})),
        Err(error) => Err(error.code()),
    });
}

#[test]
fn times_match_the_vectors() {
    check("time.json", |given: &TextGiven| match (time::normalise(&given.text), time::parse(&given.text)) {
        (Ok(normal), Ok(unix_ms)) => Ok(json!({"normal": normal, "unix_ms": unix_ms})),
        (Err(error), Err(same)) if error == same => Err(error.code()),
        other => panic!("both readings must agree: {other:?}"),
    });
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct WorkGiven {
    namespace: String,
    step: String,
    version: u32,
    identity: Identity,
    #[serde(default)]
    rules: Rules,
    event: String,
}

#[test]
fn work_ids_match_the_vectors() {
    check("work_id.json", |given: &WorkGiven| {
        let event = Event::parse(given.event.as_bytes()).map_err(|error| error.code())?;
        let WorkGiven { namespace, step, version, identity, rules, .. } = given;
        let found =
            identify(namespace, step, *version, identity, rules, &event).map_err(|error| error.code())?;
        Ok(json!({
            "work_id": found.work_id,
            "root_key": found.root_key,
            "readable_key": found.readable_key,
            "content_hash": found.content_hash,
        }))
    });
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct BuiltinGiven {
    revision: u32,
}

#[test]
fn the_built_in_lists_match_the_vectors() {
    check("builtin.json", |given: &BuiltinGiven| match Lists::of(given.revision) {
        Some(lists) => Ok(json!({
            "volatile": lists.volatile,
            "tracking": lists.tracking,
            "tracking_prefixes": lists.tracking_prefixes,
        })),
        None => Err("unknown-builtin"),
    });
    let text = fs::read_to_string(format!("{FOLDER}/builtin.json")).expect("builtin.json");
    for revision in 1..=LATEST {
        assert!(text.contains(&format!("\"revision\": {revision}}}")), "revision {revision} has no vector");
    }
}

#[derive(Deserialize)]
#[serde(tag = "derive", rename_all = "kebab-case")]
enum DerivedGiven {
    FollowUp {
        namespace: String,
        root_key: RootKey,
        root_version: u32,
        step: String,
        version: u32,
    },
    Row {
        namespace: String,
        root_key: RootKey,
        destination: String,
        slot: String,
        effect_version: u32,
    },
    Cache {
        namespace: String,
        model: String,
        prompt_version: String,
        temperature_text: String,
        tool_schema: String,
        input_canonical: String,
    },
}

#[test]
fn derived_ids_match_the_vectors() {
    check("derived.json", |given: &DerivedGiven| {
        let id = match given {
            DerivedGiven::FollowUp { namespace, root_key, root_version, step, version } => {
                follow_up_id(namespace, root_key, *root_version, step, *version).to_string()
            }
            DerivedGiven::Row { namespace, root_key, destination, slot, effect_version } => {
                row_id(namespace, root_key, destination, slot, *effect_version).to_string()
            }
            DerivedGiven::Cache {
                namespace,
                model,
                prompt_version,
                temperature_text,
                tool_schema,
                input_canonical,
            } => cache_key(namespace, model, prompt_version, temperature_text, tool_schema, input_canonical)
                .to_string(),
        };
        Ok(json!({"id": id}))
    });
}
