//! The door to the ledger, with faults: each write is a point, and so is each claim of something that is due.
//!
//! Everything goes to the real ledger. Only what a tampered host does in its own way goes past it.

use crate::contract::fence::Token;
use crate::contract::step::StepContract;
use crate::identity::key::{RootKey, RowId, WorkId};
use crate::store::approval::{Approved, Edit, Edited};
use crate::store::bulk::{Batch, RowChoice, WorkChoice};
use crate::store::claim::{Arrival, Claim, Terms};
use crate::store::decided::{DecisionEntry, DecisionFilter, ModelTotals};
use crate::store::decision::{DecisionFailure, DecisionQuery, DecisionRecord, Lookup, Pin, Pinned, Stored};
use crate::store::error::StoreError;
use crate::store::evidence::Evidence;
use crate::store::intent::{EffectRecord, Extended, Extension, Intent, Recorded};
use crate::store::item::{ItemClaim, ItemRecord, ItemRecorded, ItemVerdict};
use crate::store::ledger_size::LedgerSize;
use crate::store::operate::{Actor, Decided, RowDecision, WorkDecision};
use crate::store::outbox::{
    DestinationRows, Enqueued, FoundRow, NewRow, NextDue, OutboxCounts, OutboxFilter, OutboxRow, RowOutcome,
    RowRef, RowSettled, RowState, Sending, Take,
};
use crate::store::pace::DestinationPace;
use crate::store::pause::{Pause, PauseScope};
use crate::store::progress::{Handoff, ProgressFilter, StageCount};
use crate::store::quarantine::{QuarantineDecision, QuarantineFilter, QuarantineState, Quarantined};
use crate::store::raw::Raw;
use crate::store::reprocess::{Reprocess, Reprocessed};
use crate::store::retention::{Cursor, Erasure, Kept, Marker, Pass};
use crate::store::slot::{SlotDecided, SlotDecision, SlotRef};
use crate::store::token::{NewToken, TokenCreated, TokenRecord};
use crate::store::work::{Mark, Settled, Settlement, WorkCounts, WorkFilter, WorkRecord, WorkRef, WorkState};
use crate::store::{Decisions, Inspect, Ledger, Operate, Outbox, Progress, Queue, Retention, Store, Tokens};
use crate::verify::fault::{Door, Fault};
use crate::verify::process::Process;
use async_trait::async_trait;
use std::convert::Infallible;
use std::sync::Arc;

/// The ledger as one host sees it.
pub(super) struct LedgerDoor {
    pub(super) process: Arc<Process>,
}

impl LedgerDoor {
    fn ledger(&self) -> Arc<dyn Store> {
        self.process.world().ledger()
    }

    /// The host dies here, where that is what happens after a write.
    async fn after(&self, fault: Option<Fault>) {
        if fault == Some(Fault::DiesAfter) {
            self.process.die::<()>().await;
        }
    }

    fn is_due(&self, at_ms: Option<i64>) -> bool {
        at_ms.is_some_and(|at_ms| at_ms <= self.process.world().now_ms())
    }
}

/// Forwards each operation of a role. `plain` ones only read, or change nothing that a run depends on; `point` ones are points.
/// What takes something that is due is asked only where something is: a host sleeps for as long as nothing is said to be.
macro_rules! forward {
    ($role:ident { $($kind:ident $name:ident($($arg:ident: $type:ty),*) -> $out:ty;)* }) => {
        #[async_trait]
        impl $role for LedgerDoor {
            $(async fn $name(&self, $($arg: $type),*) -> Result<$out, StoreError> {
                forward!(@$kind self, $name, $($arg),*)
            })*
        }
    };
    (@plain $door:ident, $name:ident, $($arg:ident),*) => {{
        $door.process.live().await;
        $door.ledger().$name($($arg),*).await
    }};
    (@point $door:ident, $name:ident, $($arg:ident),*) => {
        forward!(@through $door, $name, { let ledger = $door.ledger(); ledger.$name($($arg),*).await })
    };
    (@queue $door:ident, $name:ident, $namespace:ident, $step:ident, $terms:ident) => {{
        $door.process.live().await;
        let due = $door.is_due($door.ledger().work_next_due($namespace, $step).await?);
        if due { forward!(@point $door, $name, $namespace, $step, $terms) } else { Ok(None) }
    }};
    (@outbox $door:ident, $name:ident, $take:ident) => {{
        $door.process.live().await;
        let next = $door.ledger().outbox_next_due(&$take.namespace, &$take.destination).await?;
        let due = $door.is_due(next.map(|next| next.at_ms));
        if due {
            forward!(@through $door, $name, {
                let (ledger, tamper) = ($door.ledger(), $door.process.world().tamper());
                tamper.$name(&*ledger, $take).await
            })
        } else {
            Ok(Vec::new())
        }
    }};
    (@settle $door:ident, $name:ident, $settlement:ident) => {
        forward!(@through $door, $name, {
            let (ledger, tamper) = ($door.ledger(), $door.process.world().tamper());
            tamper.$name(&*ledger, $settlement, &$door.process).await
        })
    };
    (@tampered $door:ident, $name:ident, $query:ident) => {{
        $door.process.live().await;
        let (ledger, tamper) = ($door.ledger(), $door.process.world().tamper());
        tamper.$name(&*ledger, $query).await
    }};
    (@through $door:ident, $name:ident, $done:block) => {{
        let fault = $door.process.pass(Door::Ledger, stringify!($name)).await;
        if fault == Some(Fault::Busy) {
            return Err(StoreError::Busy { operation: stringify!($name) });
        }
        let done = $done;
        $door.after(fault).await;
        done
    }};
}

forward! {
    Ledger {
        point work_claim(arrival: Arrival, terms: Terms) -> Claim;
        settle work_settle(settlement: Settlement) -> Settled;
        point effect_record(work: WorkRef, effect: EffectRecord) -> Recorded;
        point lease_extend(work: WorkRef, extension: Extension) -> Extended;
        plain work_held(work: WorkRef, token: Token) -> Option<WorkRecord>;
        point cursor_save(work: WorkRef, token: Token, cursor: String) -> bool;
        plain contract_register(namespace: &str, contract: &StepContract) -> Vec<StepContract>;
        point item_claim(claim: ItemClaim) -> Option<Vec<ItemVerdict>>;
        point item_record(record: ItemRecord) -> ItemRecorded;
    }
}

forward! {
    Queue {
        queue work_take(namespace: &str, step: &str, terms: Terms) -> Option<Claim>;
        plain work_lapse(namespace: &str) -> u64;
        plain work_next_due(namespace: &str, step: &str) -> Option<i64>;
    }
}

forward! {
    Outbox {
        outbox outbox_take(take: Take) -> Vec<Sending>;
        point outbox_settle(row: RowRef, token: Token, outcome: RowOutcome) -> RowSettled;
        point outbox_enqueue(work: WorkRef, token: Token, row: NewRow) -> Option<Enqueued>;
        plain outbox_find(namespace: &str, row: RowId) -> Option<FoundRow>;
        plain outbox_next_due(namespace: &str, destination: &str) -> Option<NextDue>;
        plain alert_collect(namespace: &str, destination: &str) -> u64;
        plain outbox_expire(namespace: &str) -> Vec<RowId>;
    }
}

forward! {
    Decisions {
        tampered decision_find(query: DecisionQuery) -> Lookup;
        point decision_record(record: DecisionRecord, pin: Pin) -> Stored;
        point decision_pin(pin: Pin) -> Pinned;
        point decision_fail(failure: DecisionFailure) -> ();
    }
}

forward! {
    Progress {
        plain progress_find(namespace: &str, root: RootKey) -> Option<String>;
        point progress_advance(work: WorkRef, token: Token, mark: Mark) -> Option<String>;
        plain progress_list(filter: ProgressFilter) -> Vec<Handoff>;
        plain progress_counts(namespace: &str) -> Vec<StageCount>;
    }
}

forward! {
    Operate {
        plain work_decide(work: WorkRef, decision: WorkDecision, actor: Actor) -> Decided<WorkState>;
        plain work_replay_all(choice: WorkChoice, batch: Batch, actor: Actor) -> u64;
        plain outbox_decide_all(choice: RowChoice, decision: RowDecision, batch: Batch, actor: Actor) -> u64;
        plain work_reprocess(reprocess: Reprocess, actor: Actor) -> Reprocessed;
        plain decision_decide(slot: SlotRef, decision: SlotDecision, actor: Actor) -> SlotDecided;
        plain quarantine_decide(namespace: &str, id: WorkId, decision: QuarantineDecision, actor: Actor) -> Decided<QuarantineState>;
        plain outbox_decide(row: RowRef, decision: RowDecision, actor: Actor) -> Decided<RowState>;
        plain outbox_approve(row: RowRef, payload_hash: Option<[u8; 32]>, actor: Actor) -> Approved;
        plain outbox_edit(row: RowRef, edit: Edit, actor: Actor) -> Edited;
        plain pause_set(namespace: &str, scope: PauseScope, actor: Actor) -> bool;
        plain pause_lift(namespace: &str, scope: PauseScope, actor: Actor) -> bool;
    }
}

forward! {
    Tokens {
        plain token_create(token: NewToken, actor: Actor) -> TokenCreated;
        plain token_find(hash: [u8; 32]) -> Option<TokenRecord>;
        plain token_list(namespace: &str) -> Vec<TokenRecord>;
        plain token_revoke(namespace: &str, id: &str, actor: Actor) -> bool;
        plain token_any() -> bool;
    }
}

forward! {
    Retention {
        plain family_expire(namespace: &str, after: Cursor, limit: u32) -> Pass;
        plain family_due(namespace: &str, at_ms: i64, after: Cursor, limit: u32) -> Pass;
        plain family_kept(namespace: &str) -> Vec<Kept>;
        plain decision_expire(namespace: &str, age_ms: i64, after: Cursor, limit: u32) -> Pass;
        plain decision_due(namespace: &str, before_ms: i64, after: Cursor, limit: u32) -> Pass;
        plain action_expire(namespace: &str, limit: u32) -> u64;
        plain payload_erase(work: WorkRef, actor: Actor) -> Erasure;
        plain payload_scrub() -> bool;
        plain marker_set(namespace: &str, name: &str, actor: Actor) -> Marker;
        plain marker_list(namespace: &str) -> Vec<Marker>;
    }
}

forward! {
    Inspect {
        plain work_list(filter: WorkFilter) -> Vec<WorkRecord>;
        plain work_show(work: WorkRef) -> Option<WorkRecord>;
        plain work_family(namespace: &str, root: RootKey) -> Vec<WorkRecord>;
        plain work_resolve(namespace: &str, text: &str) -> Vec<WorkId>;
        plain work_choose_count(choice: WorkChoice) -> u64;
        plain outbox_choose_count(choice: RowChoice) -> u64;
        plain work_counts(namespace: &str) -> WorkCounts;
        plain outbox_list(filter: OutboxFilter) -> Vec<OutboxRow>;
        plain outbox_resolve(namespace: &str, text: &str) -> Vec<OutboxRow>;
        plain outbox_counts(namespace: &str) -> OutboxCounts;
        plain destination_rows(namespace: &str) -> Vec<DestinationRows>;
        plain pending_oldest(namespace: &str) -> Option<i64>;
        plain ledger_watch() -> Infallible;
        plain ledger_size() -> LedgerSize;
        plain step_list(namespace: &str) -> Vec<String>;
        plain pause_list(namespace: &str) -> Vec<Pause>;
        plain destination_pace_list(namespace: &str) -> Vec<DestinationPace>;
        plain decision_list(filter: DecisionFilter) -> Vec<DecisionEntry>;
        plain decision_totals(namespace: &str) -> Vec<ModelTotals>;
        plain quarantine_list(filter: QuarantineFilter) -> Vec<Quarantined>;
        plain quarantine_resolve(namespace: &str, text: &str) -> Vec<Quarantined>;
        plain quarantine_count(namespace: &str) -> u64;
        plain effect_list(work: WorkRef) -> Vec<Intent>;
        plain event_raw(work: WorkRef) -> Option<Raw>;
        plain evidence_list(work: WorkRef) -> Vec<Evidence>;
    }
}
