//! Figures for whoever watches the host, in the OpenMetrics text format.
//!
//! Owns what happens in this process: requests, runs, deliveries, lost leases. What is true of the ledger is not counted
//! here: it is read from it when somebody asks, so that it is the same after a restart and on every host.

use prometheus_client::encoding::EncodeLabelSet;
use prometheus_client::encoding::text::encode;
use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::family::Family;
use prometheus_client::metrics::gauge::Gauge;
use prometheus_client::metrics::histogram::{Histogram, exponential_buckets};
use prometheus_client::registry::Registry;
use std::time::Duration;

/// The media type of the figures.
pub const OPEN_METRICS: &str = "application/openmetrics-text; version=1.0.0; charset=utf-8";

/// The upper bound of the first bucket of a duration, in seconds; each further one is twice as long, up to about a minute.
const FIRST_BUCKET_S: f64 = 0.001;

/// Buckets of a duration.
const BUCKETS: u16 = 17;

/// Of a request: its route, and its answer.
#[derive(Clone, Debug, Hash, PartialEq, Eq, EncodeLabelSet)]
pub struct RequestLabels {
    /// The route as the table has it, so that no sender makes a new series.
    pub route: String,
    /// The status.
    pub status: u16,
    /// The answer's verdict, where it has one: `duplicate`, `mismatch` and the like.
    pub verdict: &'static str,
}

/// Of a run.
#[derive(Clone, Debug, Hash, PartialEq, Eq, EncodeLabelSet)]
pub struct RunLabels {
    /// The namespace.
    pub namespace: String,
    /// The step.
    pub step: String,
    /// What it came to.
    pub end: String,
}

/// Of a delivery.
#[derive(Clone, Debug, Hash, PartialEq, Eq, EncodeLabelSet)]
pub struct DeliveryLabels {
    /// The namespace.
    pub namespace: String,
    /// The destination.
    pub destination: String,
    /// What came of the attempt.
    pub outcome: String,
}

/// Of something in the ledger, by its state.
#[derive(Clone, Debug, Hash, PartialEq, Eq, EncodeLabelSet)]
pub struct StateLabels {
    /// The namespace.
    pub namespace: String,
    /// The state.
    pub state: String,
}

/// Of something that a namespace has one of.
#[derive(Clone, Debug, Hash, PartialEq, Eq, EncodeLabelSet)]
pub struct NamespaceLabels {
    /// The namespace.
    pub namespace: String,
}

/// The counters of this process.
#[derive(Clone, Debug)]
pub struct Metrics {
    /// Requests that were answered.
    pub requests: Family<RequestLabels, Counter>,
    /// How long their answers took, in seconds.
    pub request_seconds: Histogram,
    /// Runs that ended.
    pub runs: Family<RunLabels, Counter>,
    /// Attempts to deliver.
    pub deliveries: Family<DeliveryLabels, Counter>,
    /// How long attempts took, in seconds.
    pub delivery_seconds: Histogram,
}

impl Default for Metrics {
    fn default() -> Self {
        let seconds = || Histogram::new(exponential_buckets(FIRST_BUCKET_S, 2.0, BUCKETS));
        Self {
            requests: Family::default(),
            request_seconds: seconds(),
            runs: Family::default(),
            deliveries: Family::default(),
            delivery_seconds: seconds(),
        }
    }
}

/// What is true of the ledger at a moment.
#[derive(Clone, Debug, Default)]
pub struct LedgerFigures {
    /// Works by namespace and state.
    pub works: Vec<(String, String, u64)>,
    /// Rows by namespace and state.
    pub rows: Vec<(String, String, u64)>,
    /// Kept events that wait for a person, by namespace.
    pub quarantined: Vec<(String, u64)>,
    /// How long the oldest due work or row has waited, by namespace, in milliseconds.
    pub oldest_pending_ms: Vec<(String, u64)>,
    /// Pauses that hold, by namespace.
    pub pauses: Vec<(String, u64)>,
    /// The size of the write-ahead log, in bytes.
    pub wal_bytes: u64,
    /// Whether something holds the write-ahead log, so that it grows.
    pub wal_held: bool,
    /// The size of the ledger, in bytes.
    pub ledger_bytes: u64,
    /// Runs under way here, by namespace.
    pub running_here: Vec<(String, u64)>,
}

impl Metrics {
    /// Count a request.
    pub fn request(&self, route: &str, status: u16, verdict: &'static str, took: Duration) {
        self.requests.get_or_create(&RequestLabels { route: route.to_owned(), status, verdict }).inc();
        self.request_seconds.observe(took.as_secs_f64());
    }

    /// Count a run.
    pub fn run(&self, namespace: &str, step: &str, end: &str) {
        let (namespace, step, end) = (namespace.to_owned(), step.to_owned(), end.to_owned());
        self.runs.get_or_create(&RunLabels { namespace, step, end }).inc();
    }

    /// Count an attempt to deliver.
    pub fn delivery(&self, namespace: &str, destination: &str, outcome: &str, took: Duration) {
        let labels = DeliveryLabels {
            namespace: namespace.to_owned(),
            destination: destination.to_owned(),
            outcome: outcome.to_owned(),
        };
        self.deliveries.get_or_create(&labels).inc();
        self.delivery_seconds.observe(took.as_secs_f64());
    }

    /// All figures as text.
    ///
    /// # Errors
    /// [`std::fmt::Error`], where a figure can't be written.
    pub fn text(&self, ledger: &LedgerFigures) -> Result<String, std::fmt::Error> {
        let mut registry = Registry::with_prefix("onceward");
        registry.register("requests", "Requests that were answered", self.requests.clone());
        let took = "How long answers took, in seconds";
        registry.register("request_seconds", took, self.request_seconds.clone());
        registry.register("runs", "Runs that ended, by what they came to", self.runs.clone());
        registry.register("deliveries", "Attempts to deliver, by what came of them", self.deliveries.clone());
        let took = "How long attempts to deliver took, in seconds";
        registry.register("delivery_seconds", took, self.delivery_seconds.clone());
        ledger.register(&mut registry);
        let mut text = String::new();
        encode(&mut text, &registry)?;
        Ok(text)
    }
}

impl LedgerFigures {
    fn register(&self, registry: &mut Registry) {
        for (name, help, figures) in
            [("works", "Works, by state", &self.works), ("outbox_rows", "Outbox rows, by state", &self.rows)]
        {
            let family = Family::<StateLabels, Gauge>::default();
            for (namespace, state, number) in figures {
                let labels = StateLabels { namespace: namespace.clone(), state: state.clone() };
                family.get_or_create(&labels).set(gauge(*number));
            }
            registry.register(name, help, family);
        }
        for (name, help, figures) in [
            (
                "quarantined",
                "Events that wait for a person, since their identity has other content",
                &self.quarantined,
            ),
            (
                "oldest_pending_milliseconds",
                "How long the oldest due work or row has waited",
                &self.oldest_pending_ms,
            ),
            ("pauses", "Pauses that hold", &self.pauses),
            ("running", "Runs under way in this host", &self.running_here),
        ] {
            let family = Family::<NamespaceLabels, Gauge>::default();
            for (namespace, number) in figures {
                family.get_or_create(&NamespaceLabels { namespace: namespace.clone() }).set(gauge(*number));
            }
            registry.register(name, help, family);
        }
        for (name, help, number) in [
            ("wal_bytes", "The size of the write-ahead log", self.wal_bytes),
            (
                "wal_held",
                "1 while a reader of an old state makes the write-ahead log grow",
                self.wal_held.into(),
            ),
            ("ledger_bytes", "The size of the ledger", self.ledger_bytes),
        ] {
            let figure = Gauge::<i64>::default();
            figure.set(gauge(number));
            registry.register(name, help, figure);
        }
    }
}

fn gauge(number: u64) -> i64 {
    i64::try_from(number).unwrap_or(i64::MAX)
}

#[cfg(test)]
mod tests {
    use super::{LedgerFigures, Metrics};
    use std::time::Duration;

    #[test]
    fn the_figures_are_text_that_a_scraper_reads() {
        let metrics = Metrics::default();
        metrics.request("/v1/works", 200, "duplicate", Duration::from_millis(3));
        metrics.delivery("main", "crm", "sent", Duration::from_millis(40));
        let works = vec![("main".to_owned(), "dead".to_owned(), 2)];
        let ledger = LedgerFigures { works, wal_bytes: 4_096, ..LedgerFigures::default() };
        let text = metrics.text(&ledger).unwrap();
        for line in [
            r#"onceward_requests_total{route="/v1/works",status="200",verdict="duplicate"} 1"#,
            r#"onceward_deliveries_total{namespace="main",destination="crm",outcome="sent"} 1"#,
            r#"onceward_works{namespace="main",state="dead"} 2"#,
            "onceward_wal_bytes 4096",
            "onceward_delivery_seconds_count 1",
        ] {
            assert!(text.lines().any(|found| found == line), "{line} is not in:\n{text}");
        }
        assert!(text.ends_with("# EOF\n"));
    }
}
