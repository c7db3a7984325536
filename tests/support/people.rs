//! What a person does at a host: approve, edit, decide, pause. What is not there is the test's fault: it panics.

use crate::host::NAMESPACE;
use crate::host::TestHost;
use onceward::identity::json_text;
use onceward::identity::key::RowId;
use onceward::identity::work_id::row_payload_hash;
use onceward::store::approval::Approved;
use onceward::store::approval::Edit;
use onceward::store::approval::Edited;
use onceward::store::operate::Actor;
use onceward::store::operate::Decided;
use onceward::store::operate::RowDecision;
use onceward::store::outbox::RowRef;
use onceward::store::outbox::RowState;
use onceward::store::pause::PauseScope;
use serde_json::Value;

/// The person.
fn noor() -> Actor {
    Actor { name: "Noor".to_owned(), reason: "looked at it".to_owned(), action: None }
}

fn at(id: RowId) -> RowRef {
    RowRef { namespace: NAMESPACE.to_owned(), id }
}

impl TestHost {
    /// Approve a row, whatever its payload.
    pub async fn approve(&self, id: RowId) -> Approved {
        self.store.outbox_approve(at(id), None, noor()).await.expect("the ledger works")
    }

    /// Give a held row another payload; the revision's id.
    pub async fn edit(&self, id: RowId, payload: &Value) -> RowId {
        let payload = payload.to_string();
        let value = json_text::parse(&payload).expect("a test's payload is JSON");
        let edit = Edit { payload_hash: row_payload_hash(&value), payload, same: None };
        match self.store.outbox_edit(at(id), edit, noor()).await.expect("the ledger works") {
            Edited::Applied { row, .. } => row,
            other => panic!("the row was not edited: {other:?}"),
        }
    }

    /// Decide about a row that waits for it.
    pub async fn decide(&self, id: RowId, decision: RowDecision) {
        let decided: Decided<RowState> =
            self.store.outbox_decide(at(id), decision, noor()).await.expect("the ledger works");
        assert_eq!(decided, Decided::Applied);
    }

    /// Stop something.
    pub async fn pause(&self, scope: PauseScope) {
        assert!(self.store.pause_set(NAMESPACE, scope, noor()).await.expect("the ledger works"));
    }
}
