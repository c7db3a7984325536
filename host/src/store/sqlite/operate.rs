//! What a person decides.

use crate::identity::key::WorkId;
use crate::store::Operate;
use crate::store::approval::{Approved, Edit, Edited};
use crate::store::bulk::{Batch, RowChoice, WorkChoice};
use crate::store::error::StoreError;
use crate::store::intent::IntentState;
use crate::store::operate::{Actor, Decided, RowDecision, WorkDecision};
use crate::store::outbox::{RowRef, RowState};
use crate::store::pause::PauseScope;
use crate::store::quarantine::{QuarantineDecision, QuarantineState};
use crate::store::reprocess::{Reprocess, Reprocessed};
use crate::store::slot::{SlotDecided, SlotDecision, SlotRef};
use crate::store::sqlite::SqliteStore;
use crate::store::sqlite::approval;
use crate::store::sqlite::bulk;
use crate::store::sqlite::insert_row;
use crate::store::sqlite::intent;
use crate::store::sqlite::pause;
use crate::store::sqlite::quarantine;
use crate::store::sqlite::receipt;
use crate::store::sqlite::reprocess;
use crate::store::sqlite::rows;
use crate::store::sqlite::slot;
use crate::store::sqlite::tx::Tx;
use crate::store::work::{WorkRef, WorkState};
use async_trait::async_trait;

#[async_trait]
impl Operate for SqliteStore {
    async fn work_decide(
        &self,
        work: WorkRef,
        decision: WorkDecision,
        actor: Actor,
    ) -> Result<Decided<WorkState>, StoreError> {
        let namespace = work.namespace.clone();
        self.act(
            "deciding about a work",
            &namespace,
            actor,
            (work, decision),
            |tx, (work, decision), actor| decide_work(tx, work, decision, actor),
        )
        .await
    }

    async fn work_replay_all(
        &self,
        choice: WorkChoice,
        batch: Batch,
        actor: Actor,
    ) -> Result<u64, StoreError> {
        let namespace = choice.namespace.clone();
        self.act("replaying works", &namespace, actor, (choice, batch), |tx, (choice, batch), actor| {
            bulk::replay_works(tx, choice, *batch, actor)
        })
        .await
    }

    async fn outbox_decide_all(
        &self,
        choice: RowChoice,
        decision: RowDecision,
        batch: Batch,
        actor: Actor,
    ) -> Result<u64, StoreError> {
        let namespace = choice.namespace.clone();
        let what = (choice, decision, batch);
        self.act("deciding about rows", &namespace, actor, what, |tx, (choice, decision, batch), actor| {
            bulk::decide_rows(tx, choice, decision, *batch, actor)
        })
        .await
    }

    async fn work_reprocess(&self, reprocess: Reprocess, actor: Actor) -> Result<Reprocessed, StoreError> {
        let namespace = reprocess.work.namespace.clone();
        self.act("reprocessing a work", &namespace, actor, reprocess, reprocess::reprocess).await
    }

    async fn quarantine_decide(
        &self,
        namespace: &str,
        id: WorkId,
        decision: QuarantineDecision,
        actor: Actor,
    ) -> Result<Decided<QuarantineState>, StoreError> {
        let kept = WorkRef { namespace: namespace.to_owned(), id };
        self.act("deciding about a kept event", namespace, actor, (kept, decision), |tx, what, actor| {
            quarantine::decide(tx, &what.0, what.1, actor)
        })
        .await
    }

    async fn decision_decide(
        &self,
        at: SlotRef,
        decision: SlotDecision,
        actor: Actor,
    ) -> Result<SlotDecided, StoreError> {
        let namespace = at.work.namespace.clone();
        self.act(
            "deciding about a decision",
            &namespace,
            actor,
            (at, decision),
            |tx, (at, decision), actor| slot::decide(tx, at, decision, actor),
        )
        .await
    }

    async fn outbox_decide(
        &self,
        row: RowRef,
        decision: RowDecision,
        actor: Actor,
    ) -> Result<Decided<RowState>, StoreError> {
        let namespace = row.namespace.clone();
        self.act("deciding about a row", &namespace, actor, (row, decision), |tx, (row, decision), actor| {
            decide_row(tx, row, decision, actor)
        })
        .await
    }

    async fn outbox_approve(
        &self,
        row: RowRef,
        payload_hash: Option<[u8; 32]>,
        actor: Actor,
    ) -> Result<Approved, StoreError> {
        let namespace = row.namespace.clone();
        self.act("approving a row", &namespace, actor, (row, payload_hash), |tx, (row, hash), actor| {
            approval::approve(tx, row, *hash, actor)
        })
        .await
    }

    async fn outbox_edit(&self, row: RowRef, edit: Edit, actor: Actor) -> Result<Edited, StoreError> {
        let namespace = row.namespace.clone();
        self.act("editing a row", &namespace, actor, (row, edit), |tx, (row, edit), actor| {
            approval::edit(tx, row, edit, actor)
        })
        .await
    }

    async fn pause_set(&self, namespace: &str, scope: PauseScope, actor: Actor) -> Result<bool, StoreError> {
        let what = (namespace.to_owned(), scope);
        self.act("pausing", namespace, actor, what, |tx, (namespace, scope), actor| {
            pause::set(tx, namespace, scope, &actor.reason, Some(&actor.name))
        })
        .await
    }

    async fn pause_lift(&self, namespace: &str, scope: PauseScope, actor: Actor) -> Result<bool, StoreError> {
        let what = (namespace.to_owned(), scope);
        self.act("lifting a pause", namespace, actor, what, |tx, (namespace, scope), actor| {
            pause::lift(tx, namespace, scope, actor)
        })
        .await
    }
}

/// What a person says about a work.
pub(super) fn decide_work(
    tx: &Tx<'_>,
    work: &WorkRef,
    decision: &WorkDecision,
    actor: &Actor,
) -> Result<Decided<WorkState>, StoreError> {
    let Some(state) = state_of(tx, work)? else { return Ok(Decided::Unknown) };
    if !decision.from_states().contains(&state) {
        return Ok(Decided::Refused(state));
    }
    let (to, why) = (decision.to_state(), said(actor));
    if state == WorkState::Running {
        return cancel_running(tx, work, &why);
    }
    let (mut due_ms, mut output, mut reference) = (None, None, None);
    match decision {
        WorkDecision::Replay { due_in_ms } => {
            due_ms = Some(tx.now_ms.saturating_add((*due_in_ms).max(0)));
        }
        WorkDecision::Again { due_in_ms } => {
            due_ms = Some(tx.now_ms.saturating_add((*due_in_ms).max(0)));
            intent::close_open(tx, work, None, IntentState::Withdrawn)?;
        }
        WorkDecision::Done { output: result, external_reference } => {
            (output, reference) = (Some(result.as_bytes()), external_reference.as_deref());
            intent::confirm(tx, work, reference)?;
        }
        WorkDecision::Reject | WorkDecision::Cancel | WorkDecision::Dead => {}
    }
    let key = (&work.namespace, work.id.as_bytes());
    let values = (key.0, key.1, state.word(), to.word(), tx.now_ms, &why, due_ms, output);
    tx.execute(include_str!("queries/work_decide.sql"), values)?;
    let reference = reference.map(|reference| format!(", reference {reference}")).unwrap_or_default();
    let detail = format!("{} to {}{reference}: {why}", state.word(), to.word());
    tx.evidence(&work.namespace, work.id, "decided-by", &detail)?;
    Ok(Decided::Applied)
}

/// Cancel a work that is run: at once where nobody holds it any more, else when its run ends. Asked again it is asked still.
fn cancel_running(tx: &Tx<'_>, work: &WorkRef, why: &str) -> Result<Decided<WorkState>, StoreError> {
    let key = (&work.namespace, work.id.as_bytes());
    let asked = (key.0, key.1, why, tx.now_ms);
    if tx.execute(include_str!("queries/work_cancel_ask.sql"), asked)? == 1 {
        tx.evidence(&work.namespace, work.id, "decided-by", &format!("cancel when the run ends: {why}"))?;
        return Ok(Decided::Asked);
    }
    let cancelled = (key.0, key.1, tx.now_ms, why);
    if tx.execute(include_str!("queries/work_cancel.sql"), cancelled)? == 1 {
        tx.evidence(&work.namespace, work.id, "decided-by", &format!("running to cancelled: {why}"))?;
        return Ok(Decided::Applied);
    }
    let before =
        tx.first(include_str!("queries/work_cancel_find.sql"), key, |row| row.get::<_, String>(0))?;
    // Where nobody has asked before, an outside caller holds it, who alone knows what it has done.
    Ok(if before.is_some() { Decided::Asked } else { Decided::Refused(WorkState::Running) })
}

/// How a work stands, where there is one.
pub(super) fn state_of(tx: &Tx<'_>, work: &WorkRef) -> Result<Option<WorkState>, StoreError> {
    let key = (&work.namespace, work.id.as_bytes());
    tx.first(include_str!("queries/work_state.sql"), key, |row| rows::state(row, WorkState::from_word))
}

pub(super) fn decide_row(
    tx: &Tx<'_>,
    row: &RowRef,
    decision: &RowDecision,
    actor: &Actor,
) -> Result<Decided<RowState>, StoreError> {
    let key = (&row.namespace, row.id.as_bytes());
    let found =
        tx.first(include_str!("queries/outbox_state.sql"), key, |row| rows::state(row, RowState::from_word))?;
    let Some(state) = found else { return Ok(Decided::Unknown) };
    if !decision.from_states().contains(&state) {
        return Ok(Decided::Refused(state));
    }
    let (to, why) = (decision.to_state(), said(actor));
    let reference = match decision {
        RowDecision::Sent { external_reference } => external_reference.as_deref(),
        RowDecision::Again { .. } | RowDecision::Check { .. } | RowDecision::Cancel => None,
    };
    let due_ms = match decision {
        RowDecision::Again { due_in_ms } | RowDecision::Check { due_in_ms } => {
            Some(tx.now_ms.saturating_add((*due_in_ms).max(0)))
        }
        RowDecision::Sent { .. } | RowDecision::Cancel => None,
    };
    let key = (&row.namespace, row.id.as_bytes());
    let by_word = matches!(decision, RowDecision::Again { .. });
    let values =
        (key.0, key.1, state.word(), to.word(), tx.now_ms, &why, reference, due_ms, by_word, &actor.name);
    let decided = tx.first(include_str!("queries/outbox_decide.sql"), values, |row| {
        Ok((rows::key::<WorkId>(row, "work_id")?, rows::state(row, RowState::from_word)?))
    })?;
    let (work, to) = decided.ok_or_else(|| tx.corrupt("a row could not be decided about"))?;
    let detail = format!("row {} from {} to {}: {why}", row.id, state.word(), to.word());
    tx.evidence(&row.namespace, work, "decided-by", &detail)?;
    match decision {
        RowDecision::Sent { external_reference } => {
            let doubt = "a person said that the row was applied, and gave no reference";
            let doubt = external_reference.is_none().then_some(doubt);
            receipt::follow(tx, &row.namespace, row.id, doubt)?;
        }
        RowDecision::Cancel => insert_row::release_suppressed(tx, &row.namespace, row.id)?,
        RowDecision::Again { .. } | RowDecision::Check { .. } => {}
    }
    Ok(Decided::Applied)
}

/// A person's words, as the evidence keeps them.
pub(super) fn said(actor: &Actor) -> String {
    format!("{} says: {}", actor.name, actor.reason)
}
