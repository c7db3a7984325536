//! Who decides on the command line, and why.

use crate::api::auth::Said;
use anyhow::{Result, bail};

/// Who decides, and why. It stands in the evidence.
#[derive(Debug, clap::Args)]
pub(super) struct By {
    /// Your name.
    #[arg(long, value_name = "NAME")]
    by: String,
    /// Why, for those who read the evidence.
    #[arg(long, value_name = "REASON")]
    why: String,
}

impl By {
    /// Their name and their reason, if they say something.
    pub(super) fn words(self) -> Result<(String, String)> {
        if self.by.trim().is_empty() || self.why.trim().is_empty() {
            bail!("deciding: --by and --why must say something; they are what the evidence keeps");
        }
        Ok((self.by, self.why))
    }

    /// The same, as the API hears it.
    pub(super) fn said(self) -> Result<Said> {
        let (by, why) = self.words()?;
        Ok(Said { by: Some(by), why })
    }
}
