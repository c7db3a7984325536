//! Writing steps: `onceward new`, `build`, `check` and `dev`. None of them needs a configuration or a ledger.

mod build;
mod check;
mod dev;
mod new;
mod sdk;
mod template;

pub(super) use build::{Args as BuildArgs, build};
pub(super) use check::{Args as CheckArgs, check};
pub(super) use dev::{Args as DevArgs, dev};
pub(super) use new::{Args as NewArgs, new};
