//! What must hold for any bytes from outside, over the fuzz targets' seeds and what came to harm on its way.
//!
//! The inputs are the same at each run; `cargo xtask fuzz` looks for others, guided by what they reach in the host. What it
//! finds becomes a seed.

use onceward_fuzz::{canonical_json, component_bytes, configuration, retry_after, signature_headers};
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::Index;
use proptest::test_runner::{RngAlgorithm, TestRng, TestRunner};
use std::path::Path;
use support::paths::step_bytes;

/// Inputs of a target whose check takes microseconds.
const INPUTS: u32 = 2_000;

/// How many mangled components are loaded. What is still valid is compiled, which takes its time.
const COMPONENTS: u32 = 64;

/// What happens to an input on its way.
#[derive(Clone, Debug)]
enum Harm {
    Cut(Index),
    Changed(Vec<(Index, u8)>),
    Inserted(Index, Vec<u8>),
    Doubled(Index),
    /// Only its first bytes are left, which a reader looks at first; noise follows.
    Noise(Vec<u8>),
}

/// What noise leaves: a component's preamble has so many bytes.
const HEAD_BYTES: usize = 8;

impl Harm {
    fn done_to(&self, bytes: &[u8]) -> Vec<u8> {
        let mut bytes = bytes.to_vec();
        // An end is a place as well, so that nothing is too short.
        let places = bytes.len() + 1;
        match self {
            Self::Cut(at) => bytes.truncate(at.index(places)),
            Self::Changed(changes) => {
                for (at, byte) in changes {
                    if let Some(changed) = bytes.get_mut(at.index(places)) {
                        *changed = *byte;
                    }
                }
            }
            Self::Inserted(at, more) => {
                let at = at.index(places);
                bytes.splice(at..at, more.iter().copied());
            }
            Self::Doubled(from) => bytes.extend_from_within(from.index(places)..),
            Self::Noise(noise) => {
                bytes.truncate(HEAD_BYTES);
                bytes.extend(noise);
            }
        }
        bytes
    }
}

/// Bytes that mean something in one of the formats, and any others.
fn byte() -> impl Strategy<Value = u8> {
    prop_oneof![any::<u8>(), proptest::sample::select(b" \t\r\n\"\\,:;=.-+[]{}0159eEuv\xc3".to_vec())]
}

fn harm() -> impl Strategy<Value = Harm> {
    prop_oneof![
        any::<Index>().prop_map(Harm::Cut),
        vec((any::<Index>(), byte()), 1..8).prop_map(Harm::Changed),
        (any::<Index>(), vec(byte(), 1..8)).prop_map(|(at, more)| Harm::Inserted(at, more)),
        any::<Index>().prop_map(Harm::Doubled),
        vec(byte(), 0..200).prop_map(Harm::Noise),
    ]
}

/// The seeds of a target, in the order of their names.
fn seeds(target: &str) -> Vec<Vec<u8>> {
    let dir = Path::new(env!("CARGO_MANIFEST_DIR")).join("../fuzz/seeds").join(target);
    let listed = std::fs::read_dir(&dir).unwrap_or_else(|error| panic!("{}: {error}", dir.display()));
    let mut paths: Vec<_> = listed.map(|entry| entry.expect("an entry").path()).collect();
    paths.sort();
    let seeds: Vec<_> = paths.iter().map(|path| std::fs::read(path).expect("a seed")).collect();
    assert!(!seeds.is_empty(), "{} is empty", dir.display());
    seeds
}

/// It holds for the seeds, and for so many harmed ones.
fn holds(seeds: Vec<Vec<u8>>, inputs: u32, check: fn(&[u8])) {
    seeds.iter().for_each(|seed| check(seed));
    let harmed = (any::<Index>(), vec(harm(), 1..3));
    let config = ProptestConfig { cases: inputs, failure_persistence: None, ..ProptestConfig::default() };
    let mut runner = TestRunner::new_with_rng(config, TestRng::deterministic_rng(RngAlgorithm::ChaCha));
    let checked = runner.run(&harmed, |(seed, harms)| {
        let mut bytes = seed.get(&seeds).clone();
        for harm in harms {
            bytes = harm.done_to(&bytes);
        }
        check(&bytes);
        Ok(())
    });
    if let Err(failure) = checked {
        panic!("{failure}");
    }
}

#[test]
fn a_value_has_one_canonical_form_however_it_is_spelled() {
    holds(seeds("canonical_json"), INPUTS, canonical_json::check);
}

#[test]
fn a_retry_after_is_a_wait_between_floor_and_ceiling_or_rubbish() {
    holds(seeds("retry_after"), INPUTS, retry_after::check);
}

#[test]
fn a_signature_holds_for_its_own_body_secret_and_time_alone_and_no_refusal_shows_a_secret() {
    holds(seeds("signature_headers"), INPUTS, signature_headers::check);
}

#[test]
fn a_configuration_is_read_alike_or_refused_with_a_place() {
    holds(seeds("configuration"), INPUTS, configuration::check);
}

#[test]
fn a_mangled_component_is_refused_with_a_reason_or_is_a_step() {
    let seeds = [seeds("component_bytes"), vec![step_bytes("echo")]].concat();
    holds(seeds, COMPONENTS, component_bytes::check);
}
