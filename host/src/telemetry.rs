//! Where the log goes: standard error, so that standard output holds data alone.
//!
//! Owns the subscriber and nothing else. `ONCEWARD_LOG` takes the filter syntax of `tracing-subscriber`'s `EnvFilter`.

use tracing_subscriber::EnvFilter;

/// The environment variable with the log filter.
pub const FILTER_VARIABLE: &str = "ONCEWARD_LOG";

/// Send the log to standard error. `verbose` raises the default from warnings to information. A second call changes
/// nothing.
pub fn init(verbose: bool) {
    let default = if verbose { "onceward=info" } else { "onceward=warn" };
    let filter = EnvFilter::try_from_env(FILTER_VARIABLE).unwrap_or_else(|_| EnvFilter::new(default));
    // It fails only where a subscriber is set already, and then that one is wanted.
    let _ = tracing_subscriber::fmt().with_env_filter(filter).with_writer(std::io::stderr).try_init();
}
