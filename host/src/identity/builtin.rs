//! Built-in lists: names that never count, whatever a contract says.
//!
//! Owns the names of volatile fields and of tracking parameters, in numbered revisions. The lists are part of every
//! identity, so a published revision never changes: a name more would turn the redelivery of old work into a
//! mismatch, or into new work. Each contract records the revision that its identities are made under, and a better
//! list is a new revision.
//!
//! It answers nothing for a revision that this host does not know; whoever asked refuses by name.

/// The revision of contracts that were recorded before they named one.
pub const FIRST: u32 = 1;

/// The newest revision that this host knows.
pub const LATEST: u32 = 1;

/// One revision of the lists.
#[derive(Debug, PartialEq, Eq)]
pub struct Lists {
    /// Members that differ with each delivery of one event, taken out at every depth of every payload. The run is
    /// not the work: a new run, request or trace id must never make old work new.
    pub volatile: &'static [&'static str],
    /// Query parameters that say how a visitor came, never what the page is. They stand here in lower case.
    pub tracking: &'static [&'static str],
    /// Query parameters that begin like one of these are tracking parameters too.
    pub tracking_prefixes: &'static [&'static str],
}

impl Lists {
    /// The lists of a revision, where this host knows it.
    ///
    /// ```
    /// use onceward::identity::builtin::Lists;
    ///
    /// assert!(Lists::of(1).is_some_and(|lists| lists.is_volatile("receivedAt")));
    /// assert_eq!(Lists::of(0), None);
    /// ```
    pub const fn of(revision: u32) -> Option<&'static Self> {
        match revision {
            1 => Some(&REVISION_1),
            #[cfg(test)]
            LATER_IN_TESTS => Some(&LATER),
            _ => None,
        }
    }

    /// Whether a member of this name never counts.
    pub fn is_volatile(&self, name: &str) -> bool {
        self.volatile.contains(&name)
    }

    /// Whether a query parameter of this (unescaped) name is a tracking parameter, in any ASCII case.
    pub fn is_tracking(&self, name: &str) -> bool {
        let name = name.to_ascii_lowercase();
        self.tracking.contains(&name.as_str())
            || self.tracking_prefixes.iter().any(|prefix| name.starts_with(prefix))
    }
}

/// What the interface `onceward:step@0.1.0` was published with.
const REVISION_1: Lists = Lists {
    volatile: &[
        "attempt",
        "attempt_number",
        "attemptNumber",
        "delivered_at",
        "deliveredAt",
        "delivery_attempt",
        "deliveryAttempt",
        "delivery_id",
        "deliveryId",
        "execution_id",
        "executionId",
        "received_at",
        "receivedAt",
        "request_id",
        "requestId",
        "retry_count",
        "retryCount",
        "run_id",
        "runId",
        "span_id",
        "spanId",
        "trace_id",
        "traceId",
        "traceparent",
        "tracestate",
    ],
    tracking: &[
        "_ga",
        "_gl",
        "_hsenc",
        "_hsmi",
        "dclid",
        "fbclid",
        "gad_source",
        "gbraid",
        "gclid",
        "gclsrc",
        "hsctatracking",
        "igsh",
        "igshid",
        "li_fat_id",
        "mc_cid",
        "mc_eid",
        "mkt_tok",
        "msclkid",
        "ttclid",
        "twclid",
        "vero_id",
        "wbraid",
        "yclid",
    ],
    tracking_prefixes: &["utm_"],
};

/// A revision as a later host could have it, so that tests see what it must leave alone.
#[cfg(test)]
pub(crate) const LATER_IN_TESTS: u32 = u32::MAX;

#[cfg(test)]
const LATER: Lists = Lists { volatile: &["sent_at"], tracking: &["ref"], tracking_prefixes: &[] };

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_revision_up_to_the_latest_is_known() {
        for revision in FIRST..=LATEST {
            assert!(Lists::of(revision).is_some(), "{revision}");
        }
        for revision in [0, LATEST + 1] {
            assert_eq!(Lists::of(revision), None, "{revision}");
        }
    }

    #[test]
    fn tracking_parameters_are_written_in_lower_case() {
        for revision in FIRST..=LATEST {
            let lists = Lists::of(revision).expect("a known revision");
            for name in lists.tracking.iter().chain(lists.tracking_prefixes) {
                assert_eq!(**name, name.to_ascii_lowercase(), "else {name} would never match");
            }
        }
    }
}
