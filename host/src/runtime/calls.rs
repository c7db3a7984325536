//! The count of an instance's calls into the host.

use crate::runtime::stop::Stop;

/// How many calls are left.
#[derive(Debug)]
pub(super) struct Calls {
    limit: u32,
    left: u32,
}

impl Calls {
    pub(super) const fn new(limit: u32) -> Self {
        Self { limit, left: limit }
    }

    /// Count a call. Every function of the host begins with it.
    pub(super) fn count(&mut self) -> Result<(), Stop> {
        self.left = self.left.checked_sub(1).ok_or(Stop::HostCalls { limit: self.limit })?;
        Ok(())
    }
}
