//! `[destination.NAME.same_text]`: when two messages are the same message, as it is written.

use crate::contract::sameness::Sameness;
use anyhow::{Context as _, Result, bail};
use serde::Deserialize;

/// The longest time in which a repeat is looked for, in hours (ten years).
const WITHIN_MAX_HOURS: u64 = 10 * 366 * 24;

/// Where recipient and text stand in the rows, and how long a repeat is suppressed.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SameTextConfig {
    /// Where the payload says who gets it, as a JSON Pointer.
    pub recipient: String,
    /// Where the payload holds the text, as a JSON Pointer.
    pub text: String,
    /// For how long after it went out another one is suppressed, in hours.
    #[serde(default = "default_within_hours")]
    pub within_hours: u64,
}

const fn default_within_hours() -> u64 {
    24
}

impl SameTextConfig {
    /// The rule it stands for.
    pub fn rule(&self) -> Result<Sameness> {
        if !(1..=WITHIN_MAX_HOURS).contains(&self.within_hours) {
            bail!("`same_text.within_hours` is {}; take 1 to {WITHIN_MAX_HOURS}", self.within_hours);
        }
        let within_ms = i64::try_from(self.within_hours.saturating_mul(3_600_000)).unwrap_or(i64::MAX);
        Sameness::new(&self.recipient, &self.text, within_ms)
            .context("`same_text.recipient` and `same_text.text` must be JSON Pointers into the payload")
    }
}
