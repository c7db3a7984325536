//! The store: what has been promised, decided and done.
//!
//! Owns the ledger, the outbox, the decisions and the evidence, as roles (traits) that each backend implements alike:
//! the conformance suite in `tests/it/conformance` says how. It never calls out, and it takes time only through the
//! clock door. Every write that completes something carries a fencing token and is conditional on what was read; a
//! stale token changes nothing. A failed write of the disk stops the store for good ([`StoreError::Stopped`]), because
//! nothing can be acknowledged after it.
//!
//! ```text
//!            claim                      settle(done)
//!  (new) ───────────► running ─────────────────────► done
//!                      │ │ │ settle(continue) ─────► waiting, due at once, attempts restart
//!                      │ │ ├ settle(retry) / lease end ─► waiting ──due──► running (attempt+1, new token)
//!                      │ │ └ settle(give back) ─► waiting, due at once, the attempt is not counted
//!                      │ ├ settle(review) ──► review      attempts or time used up ──► dead
//!                      │ ├ settle(reject) ──► rejected
//!                      │ ├ settle(hold) ──► review ── a person decides about the answer ──► waiting
//!                      │ └ lease end with an outside caller's open effect ──► in doubt
//!                      └ settle(done) with a row that conflicts ──► dead
//! ```

pub mod action;
pub mod approval;
pub mod bulk;
pub mod claim;
pub mod decided;
pub mod decision;
pub mod durable;
pub mod error;
pub mod evidence;
mod hash_text;
pub mod intent;
pub mod item;
pub mod ledger_size;
pub mod operate;
pub mod outbox;
pub mod pace;
pub mod pause;
pub mod progress;
pub mod quarantine;
pub mod raw;
pub mod reprocess;
pub mod slot;
pub mod restored;
pub mod retention;
pub mod sqlite;
pub mod token;
pub mod work;

use crate::contract::step::StepContract;
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
use async_trait::async_trait;
use std::convert::Infallible;

use crate::contract::fence::Token;
use crate::identity::key::RowId;
use crate::identity::key::WorkId;

/// Claims and their ends.
#[async_trait]
pub trait Ledger: Send + Sync {
    /// Claim the work an event stands for: insert it already claimed, take it over, or say how it stands. Or record it,
    /// where nobody can run it now. One atomic act. An acquired claim may be answered before its commit; see
    /// [`durable::Durable`]. How a work stands is on disk before it is told.
    async fn work_claim(&self, arrival: Arrival, terms: Terms) -> Result<Claim, StoreError>;

    /// End a run: state, result, rows, marks, items and follow-up in one transaction, or none of them.
    async fn work_settle(&self, settlement: Settlement) -> Result<Settled, StoreError>;

    /// Record that an outside caller's effect has happened. With the token of a claim that has ended it is kept as evidence
    /// all the same, and unfinished work is put in doubt: the effect has happened, and somebody else may be about to
    /// do it again.
    async fn effect_record(&self, work: WorkRef, effect: EffectRecord) -> Result<Recorded, StoreError>;

    /// Hold a claim for longer, and open the next effect that an outside caller is about to do.
    async fn lease_extend(&self, work: WorkRef, extension: Extension) -> Result<Extended, StoreError>;

    /// The work that an outside caller holds under this token; none where it is not theirs, or no more.
    async fn work_held(&self, work: WorkRef, token: Token) -> Result<Option<WorkRecord>, StoreError>;

    /// Keep how far the batch of an outside caller has come, under its claim. Another place than before is progress: attempts
    /// and the time budget begin anew. False where the claim is no longer theirs.
    async fn cursor_save(&self, work: WorkRef, token: Token, cursor: String) -> Result<bool, StoreError>;

    /// Record a step's contract; the contracts of its other versions, newest first. Refuses one whose identity
    /// changed without its version.
    async fn contract_register(
        &self,
        namespace: &str,
        contract: &StepContract,
    ) -> Result<Vec<StepContract>, StoreError>;

    /// Claim items of a batch for a run; a verdict for each key, in order. Durable on return.
    async fn item_claim(&self, claim: ItemClaim) -> Result<Option<Vec<ItemVerdict>>, StoreError>;

    /// Record that an outside caller has done an item. The word counts after the end of its claim too, while nobody else
    /// has claimed the item; where somebody has, it is kept as evidence.
    async fn item_record(&self, record: ItemRecord) -> Result<ItemRecorded, StoreError>;
}

/// Work that waits for a worker.
#[async_trait]
pub trait Queue: Send + Sync {
    /// Claim the step's next due work, or one whose lease has ended. Work whose attempts are used up dies here.
    async fn work_take(&self, namespace: &str, step: &str, terms: Terms)
    -> Result<Option<Claim>, StoreError>;

    /// Put works in doubt whose outside caller's lease has ended with an open effect, since nobody may come back for
    /// them; how many. Those without one wait for the caller's next claim.
    async fn work_lapse(&self, namespace: &str) -> Result<u64, StoreError>;

    /// When the next work of the step becomes due, in Unix milliseconds.
    async fn work_next_due(&self, namespace: &str, step: &str) -> Result<Option<i64>, StoreError>;
}

/// Effects that wait for delivery.
#[async_trait]
pub trait Outbox: Send + Sync {
    /// Take due rows of a destination for sending: the attempt is counted and the envelope frozen before the caller
    /// makes any call.
    async fn outbox_take(&self, take: Take) -> Result<Vec<Sending>, StoreError>;

    /// Record what came of an attempt.
    async fn outbox_settle(
        &self,
        row: RowRef,
        token: Token,
        outcome: RowOutcome,
    ) -> Result<RowSettled, StoreError>;

    /// Enqueue a row of an outside caller under its claim, at once and for good; none where the claim is no longer theirs. It
    /// goes out however the claim ends.
    async fn outbox_enqueue(
        &self,
        work: WorkRef,
        token: Token,
        row: NewRow,
    ) -> Result<Option<Enqueued>, StoreError>;

    /// What became of an enqueued row, where it exists.
    async fn outbox_find(&self, namespace: &str, row: RowId) -> Result<Option<FoundRow>, StoreError>;

    /// When the destination's next row becomes due, and when it may go: not while the destination rests. None where no row
    /// waits, or while the destination is paused.
    async fn outbox_next_due(
        &self,
        namespace: &str,
        destination: &str,
    ) -> Result<Option<NextDue>, StoreError>;

    /// Make an outbox row to this destination of everything that has stopped and was not told of: works that are dead,
    /// in doubt or in review, rows that are blocked or in doubt. At most some at once; how many were looked at, and 0
    /// where all is told. Of a row to this destination itself nobody is told: it would go the same way.
    async fn alert_collect(&self, namespace: &str, destination: &str) -> Result<u64, StoreError>;

    /// Cancel held rows whose time for an approval is over, at most some at once; their ids.
    async fn outbox_expire(&self, namespace: &str) -> Result<Vec<RowId>, StoreError>;
}

/// Answers that are decided once.
#[async_trait]
pub trait Decisions: Send + Sync {
    /// The answer pinned to the slot, else a cached answer to an equal question.
    async fn decision_find(&self, query: DecisionQuery) -> Result<Lookup, StoreError>;

    /// Store an answer (the first one wins) and pin it for the run that asked, in one durable transaction. The answer is
    /// kept even where the run has lost its lease.
    async fn decision_record(&self, record: DecisionRecord, pin: Pin) -> Result<Stored, StoreError>;

    /// Pin a stored answer to a slot of a work. The first pin wins.
    async fn decision_pin(&self, pin: Pin) -> Result<Pinned, StoreError>;

    /// Record that calls came to no answer, and what they took: as evidence of the work, and in the model's totals.
    async fn decision_fail(&self, failure: DecisionFailure) -> Result<(), StoreError>;
}

/// How far handoffs have come.
#[async_trait]
pub trait Progress: Send + Sync {
    /// The stage a handoff has reached.
    async fn progress_find(
        &self,
        namespace: &str,
        root: crate::identity::key::RootKey,
    ) -> Result<Option<String>, StoreError>;

    /// Move the handoff of an outside caller's work on, under its claim; the stage that it has reached then, which a mark that
    /// lies behind does not change. None where the claim is no longer theirs.
    async fn progress_advance(
        &self,
        work: WorkRef,
        token: Token,
        mark: Mark,
    ) -> Result<Option<String>, StoreError>;

    /// The handoffs that stand in a stage, the one that stands there longest first.
    async fn progress_list(&self, filter: ProgressFilter) -> Result<Vec<Handoff>, StoreError>;

    /// How many stand in each stage that any stands in.
    async fn progress_counts(&self, namespace: &str) -> Result<Vec<StageCount>, StoreError>;
}

/// What a person decides. Each act is done once for the action id that its [`Actor`] carries; see [`action`].
#[async_trait]
pub trait Operate: Send + Sync {
    /// Decide about a work that can't go on by itself.
    async fn work_decide(
        &self,
        work: WorkRef,
        decision: WorkDecision,
        actor: Actor,
    ) -> Result<Decided<WorkState>, StoreError>;

    /// Replay the oldest works of a choice in one transaction, spread in time; how many. Those have left the choice. Each
    /// batch is an act, with an action id of its own.
    async fn work_replay_all(
        &self,
        choice: WorkChoice,
        batch: Batch,
        actor: Actor,
    ) -> Result<u64, StoreError>;

    /// Decide alike about the oldest rows of a choice in one transaction, what goes out again spread in time; how many.
    async fn outbox_decide_all(
        &self,
        choice: RowChoice,
        decision: RowDecision,
        batch: Batch,
        actor: Actor,
    ) -> Result<u64, StoreError>;

    /// Run an old event under the step's present version: new work beside the old one, under the same root key.
    async fn work_reprocess(&self, reprocess: Reprocess, actor: Actor) -> Result<Reprocessed, StoreError>;

    /// Decide about an answer. What it lets go on is due in the same transaction, with a fresh budget.
    async fn decision_decide(
        &self,
        slot: SlotRef,
        decision: SlotDecision,
        actor: Actor,
    ) -> Result<SlotDecided, StoreError>;

    /// Admit a kept event as work of its own, or drop it. The work with the first content is left alone.
    async fn quarantine_decide(
        &self,
        namespace: &str,
        id: WorkId,
        decision: QuarantineDecision,
        actor: Actor,
    ) -> Result<Decided<QuarantineState>, StoreError>;

    /// Decide about a row that can't go on by itself.
    async fn outbox_decide(
        &self,
        row: RowRef,
        decision: RowDecision,
        actor: Actor,
    ) -> Result<Decided<RowState>, StoreError>;

    /// Approve a held row: exactly this id, and where a hash is given exactly that payload.
    async fn outbox_approve(
        &self,
        row: RowRef,
        payload_hash: Option<[u8; 32]>,
        actor: Actor,
    ) -> Result<Approved, StoreError>;

    /// Give a held row another payload: a new revision, which needs an approval of its own.
    async fn outbox_edit(&self, row: RowRef, edit: Edit, actor: Actor) -> Result<Edited, StoreError>;

    /// Stop something. False where it was stopped before; the first cause stands.
    async fn pause_set(&self, namespace: &str, scope: PauseScope, actor: Actor) -> Result<bool, StoreError>;

    /// Let it go on. False where it was not stopped.
    async fn pause_lift(&self, namespace: &str, scope: PauseScope, actor: Actor) -> Result<bool, StoreError>;
}

/// Who may ask for what. Each act is done once for its action id, as in [`Operate`].
#[async_trait]
pub trait Tokens: Send + Sync {
    /// Keep a new token.
    async fn token_create(&self, token: NewToken, actor: Actor) -> Result<TokenCreated, StoreError>;

    /// The token of this hash, in whatever namespace, revoked or not.
    async fn token_find(&self, hash: [u8; 32]) -> Result<Option<TokenRecord>, StoreError>;

    /// The tokens of a namespace, also those that were revoked, oldest first.
    async fn token_list(&self, namespace: &str) -> Result<Vec<TokenRecord>, StoreError>;

    /// Revoke a token: it opens nothing from now on. False where there is none of this id, or it was revoked before.
    async fn token_revoke(&self, namespace: &str, id: &str, actor: Actor) -> Result<bool, StoreError>;

    /// Whether any token was ever made, in whatever namespace. Only where none was may the first one be made without one.
    async fn token_any(&self) -> Result<bool, StoreError>;
}

/// What is forgotten, and when.
#[async_trait]
pub trait Retention: Send + Sync {
    /// Forget families whose windows have ended, in one transaction of bounded size that looks at `limit` candidates at
    /// most. Call again from where the pass has come to.
    async fn family_expire(&self, namespace: &str, after: Cursor, limit: u32) -> Result<Pass, StoreError>;

    /// What [`Self::family_expire`] would forget at a moment. Nothing is written.
    async fn family_due(
        &self,
        namespace: &str,
        at_ms: i64,
        after: Cursor,
        limit: u32,
    ) -> Result<Pass, StoreError>;

    /// The families that are kept until time or a marker ends their windows.
    async fn family_kept(&self, namespace: &str) -> Result<Vec<Kept>, StoreError>;

    /// Forget decisions of more than this age that no work refers to, in one transaction of bounded size.
    async fn decision_expire(
        &self,
        namespace: &str,
        age_ms: i64,
        after: Cursor,
        limit: u32,
    ) -> Result<Pass, StoreError>;

    /// What [`Self::decision_expire`] would forget of what was recorded before a moment. Nothing is written.
    async fn decision_due(
        &self,
        namespace: &str,
        before_ms: i64,
        after: Cursor,
        limit: u32,
    ) -> Result<Pass, StoreError>;

    /// Forget action ids of more than [`action::ACTION_KEPT_MS`], in one transaction of bounded size; how many.
    async fn action_expire(&self, namespace: &str, limit: u32) -> Result<u64, StoreError>;

    /// Erase the payloads of a work's whole family: payloads, events as they arrived, results, cursors, receipts, and
    /// answers that no other work refers to. Keys, hashes, states, references and evidence stay, so that a repeat is still one. Refused while
    /// anything of the family is open.
    async fn payload_erase(&self, work: WorkRef, actor: Actor) -> Result<Erasure, StoreError>;

    /// Make sure that no copy of what was erased is left in the backend's files; it takes as long as copying them. False where
    /// something still reads an older state: ask again when it has ended.
    async fn payload_scrub(&self) -> Result<bool, StoreError>;

    /// Set a marker: windows that last until it end for all that ended before.
    async fn marker_set(&self, namespace: &str, name: &str, actor: Actor) -> Result<Marker, StoreError>;

    /// The markers that were ever set, by name.
    async fn marker_list(&self, namespace: &str) -> Result<Vec<Marker>, StoreError>;
}

/// Reading, for people.
#[async_trait]
pub trait Inspect: Send + Sync {
    /// Works, newest first.
    async fn work_list(&self, filter: WorkFilter) -> Result<Vec<WorkRecord>, StoreError>;

    /// One work.
    async fn work_show(&self, work: WorkRef) -> Result<Option<WorkRecord>, StoreError>;

    /// A work with all that descends from the same root, oldest first.
    async fn work_family(
        &self,
        namespace: &str,
        root: crate::identity::key::RootKey,
    ) -> Result<Vec<WorkRecord>, StoreError>;

    /// Works whose id begins with these hexadecimal digits, or whose readable key is this text.
    async fn work_resolve(&self, namespace: &str, text: &str) -> Result<Vec<WorkId>, StoreError>;

    /// How many works a choice holds.
    async fn work_choose_count(&self, choice: WorkChoice) -> Result<u64, StoreError>;

    /// How many rows a choice holds.
    async fn outbox_choose_count(&self, choice: RowChoice) -> Result<u64, StoreError>;

    /// How many works are in each state.
    async fn work_counts(&self, namespace: &str) -> Result<WorkCounts, StoreError>;

    /// Outbox rows, newest first.
    async fn outbox_list(&self, filter: OutboxFilter) -> Result<Vec<OutboxRow>, StoreError>;

    /// Outbox rows whose id begins with these hexadecimal digits.
    async fn outbox_resolve(&self, namespace: &str, text: &str) -> Result<Vec<OutboxRow>, StoreError>;

    /// How many rows are in each state.
    async fn outbox_counts(&self, namespace: &str) -> Result<OutboxCounts, StoreError>;

    /// How many rows each destination has before it, by destination.
    async fn destination_rows(&self, namespace: &str) -> Result<Vec<DestinationRows>, StoreError>;

    /// When the oldest work that waits, or the oldest row that is pending, was recorded, Unix milliseconds.
    async fn pending_oldest(&self, namespace: &str) -> Result<Option<i64>, StoreError>;

    /// Waits as long as the ledger works. It ends only with the error that says that the ledger has stopped for good.
    async fn ledger_watch(&self) -> Result<Infallible, StoreError>;

    /// How large the backend's files are.
    async fn ledger_size(&self) -> Result<LedgerSize, StoreError>;

    /// The steps whose contracts are recorded in the namespace, by name.
    async fn step_list(&self, namespace: &str) -> Result<Vec<String>, StoreError>;

    /// What is stopped in the namespace or altogether, and why; oldest first.
    async fn pause_list(&self, namespace: &str) -> Result<Vec<Pause>, StoreError>;

    /// The pace of the destinations that were called, by name: how often each has failed in a row, and until when it rests.
    async fn destination_pace_list(&self, namespace: &str) -> Result<Vec<DestinationPace>, StoreError>;

    /// Decisions, newest first.
    async fn decision_list(&self, filter: DecisionFilter) -> Result<Vec<DecisionEntry>, StoreError>;

    /// What each model was asked, and what was answered without a call.
    async fn decision_totals(&self, namespace: &str) -> Result<Vec<ModelTotals>, StoreError>;

    /// Kept events, newest first.
    async fn quarantine_list(&self, filter: QuarantineFilter) -> Result<Vec<Quarantined>, StoreError>;

    /// Kept events whose id begins with these hexadecimal digits.
    async fn quarantine_resolve(&self, namespace: &str, text: &str) -> Result<Vec<Quarantined>, StoreError>;

    /// How many kept events wait for a person.
    async fn quarantine_count(&self, namespace: &str) -> Result<u64, StoreError>;

    /// What an outside caller has done under a work, or was about to do, oldest first.
    async fn effect_list(&self, work: WorkRef) -> Result<Vec<Intent>, StoreError>;

    /// The event that a work descends from as it arrived, or one that is kept under this id; none where it came without, or
    /// was erased.
    async fn event_raw(&self, work: WorkRef) -> Result<Option<Raw>, StoreError>;

    /// A work's evidence, in order.
    async fn evidence_list(&self, work: WorkRef) -> Result<Vec<Evidence>, StoreError>;
}

/// All roles in one backend.
pub trait Store:
    Ledger + Queue + Outbox + Decisions + Progress + Operate + Tokens + Retention + Inspect
{
}

impl<T: Ledger + Queue + Outbox + Decisions + Progress + Operate + Tokens + Retention + Inspect> Store for T {}
