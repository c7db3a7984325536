//! A unit by the ledger's operations alone: claimed and settled with what the step would have collected.

use crate::unit::{ANSWER_BYTES, EVENT_BYTES, RESULT, ROW_BYTES, STEP};
use anyhow::bail;
use onceward::contract::response::Response;
use onceward::contract::window::Window;
use onceward::identity::key::{ContentHash, RootKey, RowId, WorkId, digest};
use onceward::store::Ledger;
use onceward::store::claim::{Arrival, Candidate, Claim, Taking, Terms};
use onceward::store::decision::RulePin;
use onceward::store::outbox::NewRow;
use onceward::store::quarantine::OnMismatch;
use onceward::store::work::{Collected, Holder, Outcome, Settled, Settlement, WorkRef};
use std::sync::atomic::{AtomicU64, Ordering};

/// The namespace of the bench.
pub(crate) const NAMESPACE: &str = "default";

/// The terms of every claim: the lease is longer than any measurement, and nothing is given up.
pub(crate) const TERMS: Terms = Terms { lease_ms: 3_600_000, attempts_max: 5, age_max_ms: i64::MAX };

/// Gives units that nobody has given before.
pub(crate) struct LedgerUnits {
    name: String,
    next: AtomicU64,
}

impl LedgerUnits {
    /// Units of this name.
    pub(crate) fn named(name: &str) -> Self {
        Self { name: name.to_owned(), next: AtomicU64::new(0) }
    }

    fn key(&self) -> (String, [u8; 32]) {
        let id = format!("{}-{}", self.name, self.next.fetch_add(1, Ordering::Relaxed));
        let key = digest("onceward/bench", &[id.as_bytes()]);
        (id, key)
    }
}

/// Store one unit.
pub(crate) async fn store_unit(store: &dyn Ledger, units: &LedgerUnits) -> anyhow::Result<()> {
    let (id, key) = units.key();
    let held = match store.work_claim(arrival(STEP, &id, key, text(EVENT_BYTES)), TERMS).await? {
        Claim::Acquired(held) => held,
        Claim::Answered(answered) => bail!("a new unit was answered {answered:?}"),
    };
    let work = WorkRef { namespace: NAMESPACE.to_owned(), id: held.work.work_id };
    let outcome = Outcome::Done {
        output: RESULT.to_owned(),
        needs_review: None,
        follow_up: None,
        collected: Collected {
            rows: vec![row(key)],
            pins: vec![RulePin { slot: "class".to_owned(), answer: text(ANSWER_BYTES) }],
            ..Collected::default()
        },
    };
    let (notes, replays) = (Vec::new(), Vec::new());
    match store.work_settle(Settlement { work, token: held.token, outcome, notes, replays }).await? {
        Settled::Applied => Ok(()),
        other => bail!("a unit was settled with {other:?}"),
    }
}

fn row(key: [u8; 32]) -> NewRow {
    NewRow {
        id: RowId::from_bytes(key),
        destination: "crm".to_owned(),
        slot: "deal".to_owned(),
        effect_version: 1,
        payload: text(ROW_BYTES),
        payload_hash: key,
        ordering_key: None,
        approval: None,
        receipt_step: None,
        same: None,
    }
}

/// A new event for a step.
pub(crate) fn arrival(step: &str, id: &str, key: [u8; 32], payload: String) -> Arrival {
    Arrival {
        namespace: NAMESPACE.to_owned(),
        step: step.to_owned(),
        current: Candidate {
            version: 1,
            work_id: WorkId::from_bytes(key),
            root_key: RootKey::from_bytes(key),
            readable_key: format!("{step}:v1:bench:{id}"),
            content_hash: ContentHash::from_bytes(key),
        },
        earlier: Vec::new(),
        source: "bench".to_owned(),
        event_id: Some(id.to_owned()),
        occurred_at_ms: None,
        payload,
        raw: None,
        window: Window::ForEver,
        response: Response::Original,
        taking: Taking::Claim,
        on_mismatch: OnMismatch::Refuse,
        holder: Holder::Host,
        intent: None,
    }
}

/// JSON text of this size.
fn text(bytes: usize) -> String {
    format!("{:?}", "x".repeat(bytes.saturating_sub(2)))
}
