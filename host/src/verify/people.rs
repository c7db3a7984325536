//! What people do when all has come to rest: they look at the destination and say what is the case, replay what is dead, and
//! approve what is held, be it a row or a decision. In doubt is no fault; an effect that is done twice since somebody guessed would be one.

use crate::store::Store;
use crate::store::decided::DecisionFilter;
use crate::store::error::StoreError;
use crate::store::operate::{Actor, RowDecision, WorkDecision};
use crate::store::outbox::{OutboxFilter, RowRef, RowState};
use crate::store::slot::{Seen, SlotDecision, SlotRef};
use crate::store::work::{WorkFilter, WorkRef, WorkState};
use crate::verify::receiver::{Receivers, reference};
use crate::verify::subject::NAMESPACE;

/// Rows, works and decisions of one state that people look at.
const LIST_LIMIT: u32 = 1_000;

/// Say what is the case; how many things were said.
pub(super) async fn act(ledger: &dyn Store, receivers: &Receivers) -> Result<usize, StoreError> {
    let mut acts = 0;
    for state in [RowState::InDoubt, RowState::Blocked, RowState::Held] {
        let filter = OutboxFilter { state: Some(state), ..OutboxFilter::all(NAMESPACE, LIST_LIMIT) };
        for row in ledger.outbox_list(filter).await? {
            let known = RowRef { namespace: NAMESPACE.to_owned(), id: row.row_id };
            let key = row.row_id.to_string();
            if state == RowState::Held {
                ledger.outbox_approve(known, Some(row.payload_hash), actor()).await?;
            } else {
                let decision = match receivers.has(&row.destination, &key) {
                    true => RowDecision::Sent { external_reference: Some(reference(&key)) },
                    false => RowDecision::Again { due_in_ms: 0 },
                };
                ledger.outbox_decide(known, decision, actor()).await?;
            }
            acts += 1;
        }
    }
    let waiting = DecisionFilter {
        namespace: NAMESPACE.to_owned(),
        work: None,
        slot: None,
        waiting: true,
        limit: LIST_LIMIT,
    };
    for entry in ledger.decision_list(waiting).await? {
        let work = WorkRef { namespace: NAMESPACE.to_owned(), id: entry.work_id };
        let answer = entry.decided.map(|decided| decided.answer_hash);
        let seen = Seen { revision: Some(entry.revision), answer };
        let slot = SlotRef { work, slot: entry.slot };
        ledger.decision_decide(slot, SlotDecision::Approve(seen), actor()).await?;
        acts += 1;
    }
    let filter = WorkFilter { state: Some(WorkState::Dead), ..WorkFilter::all(NAMESPACE, LIST_LIMIT) };
    for work in ledger.work_list(filter).await? {
        let work = WorkRef { namespace: NAMESPACE.to_owned(), id: work.work_id };
        ledger.work_decide(work, WorkDecision::Replay { due_in_ms: 0 }, actor()).await?;
        acts += 1;
    }
    Ok(acts)
}

fn actor() -> Actor {
    Actor { name: "verify".to_owned(), reason: "looked at the destination".to_owned(), action: None }
}
