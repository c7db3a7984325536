//! A payload's hash in JSON: its hexadecimal text, as keys are written.

use crate::identity::key::ContentHash;
use serde::{Deserialize as _, Deserializer, Serializer};

pub(super) fn serialize<S: Serializer>(hash: &[u8; 32], serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_str(&ContentHash::from_bytes(*hash))
}

pub(super) fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<[u8; 32], D::Error> {
    ContentHash::deserialize(deserializer).map(|hash| *hash.as_bytes())
}
