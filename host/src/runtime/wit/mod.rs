//! The host's side of the WIT interfaces, a folder a released version.

pub(crate) mod since_v0_1_0;
