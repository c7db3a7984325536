//! `[serve]`: where the host listens, and what a request may take.

use crate::api::service::Limits;
use crate::cli::config::bound;
use crate::cli::config::bound::Bound;
use anyhow::{Result, bail};
use serde::Deserialize;
use std::net::SocketAddr;

/// The largest body that may be allowed, in bytes: each is held in memory, and an event is 1 MiB at most.
const BODY_MAX_BYTES: u64 = 64 * 1024 * 1024;

/// The longest time that a request may be allowed to arrive in, in milliseconds: it holds a connection.
const ARRIVAL_TIMEOUT_MAX_MS: u64 = 10 * 60 * 1_000;

/// The longest wait that may be allowed, in milliseconds: proxies give up long before an hour.
const WAIT_MAX_MS: u64 = 60 * 60 * 1_000;

/// The most connections that may be allowed; each takes a file descriptor.
const CONNECTIONS_MAX: u64 = 100_000;

/// The longest time for stopping, in milliseconds: whoever stops a host kills it after a while.
const DRAIN_MAX_MS: u64 = 60 * 60 * 1_000;

/// `[serve]`.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct ServeConfig {
    /// The address for the network.
    pub listen: SocketAddr,
    /// Namespaces beside the configuration's own. They have the same steps, destinations and models, and nothing else in
    /// common.
    pub namespaces: Vec<String>,
    /// The largest body, in bytes.
    pub body_bytes: usize,
    /// How long a head, and then a body, may take to arrive, in milliseconds. So long an idle connection is kept, too.
    pub arrival_timeout_ms: u64,
    /// The longest `?wait=`, in milliseconds.
    pub wait_max_ms: u64,
    /// Connections at once.
    pub connections: usize,
    /// How long runs, deliveries and answers may take to come to their end when the host stops, in milliseconds.
    pub drain_ms: u64,
}

impl Default for ServeConfig {
    fn default() -> Self {
        let limits = Limits::default();
        Self {
            listen: SocketAddr::from(([127, 0, 0, 1], 8_470)),
            namespaces: Vec::new(),
            body_bytes: limits.body_bytes,
            arrival_timeout_ms: limits.arrival_timeout_ms,
            wait_max_ms: limits.wait_max_ms,
            connections: 1_024,
            drain_ms: 20_000,
        }
    }
}

impl ServeConfig {
    /// What a request may take.
    #[must_use]
    pub fn limits(&self) -> Limits {
        Limits {
            body_bytes: self.body_bytes,
            arrival_timeout_ms: self.arrival_timeout_ms,
            wait_max_ms: self.wait_max_ms,
        }
    }

    pub(super) fn check(&self, own: &str) -> Result<()> {
        let of = |setting, value, most, remedy| Bound { setting, value, least: 1, most, remedy };
        bound::check(
            "[serve]",
            &[
                of("body_bytes", self.body_bytes as u64, BODY_MAX_BYTES, "in bytes; 1048576 is the default"),
                of(
                    "arrival_timeout_ms",
                    self.arrival_timeout_ms,
                    ARRIVAL_TIMEOUT_MAX_MS,
                    "30000 is the default",
                ),
                of("wait_max_ms", self.wait_max_ms, WAIT_MAX_MS, "300000 is the default"),
                of("connections", self.connections as u64, CONNECTIONS_MAX, "1024 is the default"),
                of("drain_ms", self.drain_ms, DRAIN_MAX_MS, "20000 is the default"),
            ],
        )?;
        let mut seen = std::collections::BTreeSet::from([own]);
        for name in &self.namespaces {
            if name.trim().is_empty() {
                bail!("[serve]: `namespaces` holds an empty name; leave it out");
            }
            if !seen.insert(name) {
                bail!(
                    "[serve]: `namespaces` names {name:?} twice, or again what `namespace` names; name each once"
                );
            }
        }
        Ok(())
    }
}
