//! `[progress]`: the stages of a handoff, when it stands too long in one, and where they are told.

use crate::cli::config::bound;
use anyhow::{Result, bail};
use serde::Deserialize;
use std::collections::BTreeMap;

/// `[progress]`.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct ProgressConfig {
    /// The stages in order.
    pub stages: Vec<String>,
    /// After how many seconds in a stage a handoff is late. The last stage is the end of it, and never late.
    pub alarms: BTreeMap<String, u64>,
    /// Where each stage that is reached is told.
    pub mirror: Option<MirrorConfig>,
}

/// `mirror` of `[progress]`.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct MirrorConfig {
    /// The destination.
    pub destination: String,
}

impl Default for ProgressConfig {
    fn default() -> Self {
        let stages = ["received", "matched", "owned", "replied"].map(str::to_owned).to_vec();
        Self { stages, alarms: BTreeMap::new(), mirror: None }
    }
}

impl ProgressConfig {
    /// Refuse alarms that can never ring and a mirror without a destination.
    pub(super) fn check<'a>(&self, mut destinations: impl Iterator<Item = &'a String>) -> Result<()> {
        for (stage, seconds) in &self.alarms {
            if !self.stages.contains(stage) {
                bail!(
                    "[progress]: `alarms` names the stage {stage:?}, and the stages are {}; correct the name",
                    self.stages.join(", ")
                );
            }
            if self.stages.last() == Some(stage) {
                bail!(
                    "[progress]: `alarms` names the last stage, {stage:?}, in which a handoff has come to its end and is never late; remove it"
                );
            }
            bound::check(&format!("[progress]: alarms.{stage}"), &[bound::alarm(*seconds)])?;
        }
        if let Some(MirrorConfig { destination }) = &self.mirror
            && !destinations.any(|known| known == destination)
        {
            bail!(
                "[progress]: `mirror` names the destination {destination:?}, which is not configured; add [destination.{destination}]"
            );
        }
        Ok(())
    }
}
