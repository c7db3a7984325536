//! Where the log goes: standard error, so that standard output holds data alone. Where traces go, and the figures of this
//! process.
//!
//! Owns the subscriber and the counters, and nothing else. `ONCEWARD_LOG` takes the filter syntax of
//! `tracing-subscriber`'s `EnvFilter`.

pub mod metrics;
pub mod traces;

use crate::telemetry::traces::Traces;
use tracing_subscriber::EnvFilter;
use tracing_subscriber::Layer as _;
use tracing_subscriber::layer::SubscriberExt as _;
use tracing_subscriber::util::SubscriberInitExt as _;

/// The environment variable with the log filter.
pub const FILTER_VARIABLE: &str = "ONCEWARD_LOG";

/// What goes into traces: the host's own spans.
const TRACED: &str = "onceward=info";

/// Send the log to standard error, and traces to a collector where there is one. `verbose` raises the default from warnings to
/// information. A second call changes nothing.
pub fn init(verbose: bool, traces: Option<&Traces>) {
    let default = if verbose { "onceward=info" } else { "onceward=warn" };
    let filter = EnvFilter::try_from_env(FILTER_VARIABLE).unwrap_or_else(|_| EnvFilter::new(default));
    let log = tracing_subscriber::fmt::layer().with_writer(std::io::stderr).with_filter(filter);
    let traces = traces.map(|traces| {
        let layer = tracing_opentelemetry::layer().with_tracer(traces.tracer());
        layer.with_filter(EnvFilter::new(TRACED))
    });
    // It fails only where a subscriber is set already, and then that one is wanted.
    let _ = tracing_subscriber::registry().with(log).with(traces).try_init();
}
