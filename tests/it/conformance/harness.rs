//! What every case stands on: a backend's store, time that is moved by hand, and short ways to say things.

use async_trait::async_trait;
use onceward::contract::response::Response;
use onceward::contract::sameness::SameText;
use onceward::contract::window::Window;
use onceward::identity::key::ContentHash;
use onceward::identity::key::RootKey;
use onceward::identity::key::RowId;
use onceward::identity::key::WorkId;
use onceward::identity::key::digest;
use onceward::store::Store;
use onceward::store::approval::{Approved, Edit, Edited};
use onceward::store::claim::{Acquired, Arrival, Candidate, Claim, Standing, Taking, Terms};
use onceward::store::operate::Actor;
use onceward::store::outbox::{
    Approval, NewRow, OutboxFilter, OutboxRow, RowOutcome, RowRef, RowSettled, RowState, Sending, Take,
};
use onceward::store::pace::Health;
use onceward::store::pause::PauseScope;
use onceward::store::quarantine::OnMismatch;
use onceward::store::work::{Collected, FollowUp, Holder, Outcome, Settled, Settlement, WorkRecord, WorkRef};
use std::sync::Arc;

/// The namespace of nearly all cases.
pub(crate) const SPACE: &str = "tests";
/// Another one, which shares nothing with it.
pub(crate) const ELSEWHERE: &str = "elsewhere";
/// The step of nearly all cases.
pub(crate) const STEP: &str = "qualify";
/// The destination of nearly all cases.
pub(crate) const CRM: &str = "crm";
/// How long claims and takes hold, in milliseconds.
pub(crate) const LEASE_MS: i64 = 60_000;
/// How many attempts works and rows get.
pub(crate) const ATTEMPTS: u32 = 3;
/// How long the destination recognises a repeat, in milliseconds: longer than all its attempts.
pub(crate) const RETENTION_MS: i64 = 24 * 3_600_000;
/// How long a repeat of a text is suppressed, in milliseconds.
pub(crate) const SAME_TEXT_MS: i64 = 10 * LEASE_MS;
/// A destination that failed, and said no more.
pub(crate) const UNWELL: Health = Health::Unwell { waits_ms: None };
/// The terms of nearly all claims.
pub(crate) const TERMS: Terms = Terms { lease_ms: LEASE_MS, attempts_max: ATTEMPTS, age_max_ms: i64::MAX };

/// A kind of store that the suite runs on.
#[async_trait]
pub(crate) trait Backend: Send + Sync {
    /// Open the store, for the first time or again. Whoever held it before has let it go.
    async fn open(&self) -> Arc<dyn Store>;

    /// Let so many milliseconds pass for the store. Negative: the machine's clock is set back.
    fn advance(&self, by_ms: i64);
}

/// A store of its own for one case.
pub(crate) struct Bench {
    backend: Box<dyn Backend>,
    /// The store.
    pub(crate) store: Arc<dyn Store>,
}

impl Bench {
    pub(crate) async fn new(backend: impl Backend + 'static) -> Self {
        let store = backend.open().await;
        Self { backend: Box::new(backend), store }
    }

    /// Let the store go, and open it again.
    pub(crate) async fn reopen(self) -> Self {
        drop(self.store);
        let store = self.backend.open().await;
        Self { backend: self.backend, store }
    }

    /// Let something go on that is stopped; whether it was.
    pub(crate) async fn unpause(&self, namespace: &str, scope: PauseScope) -> bool {
        self.store.pause_lift(namespace, scope, actor()).await.expect("the store works")
    }

    pub(crate) fn advance(&self, by_ms: i64) {
        self.backend.advance(by_ms);
    }

    /// Claim, and wait until the claim is on disk: what comes next is then a transaction of its own, with a time of
    /// its own.
    pub(crate) async fn claim(&self, arrival: Arrival) -> Claim {
        let claim = self.store.work_claim(arrival, TERMS).await.expect("the store works");
        if let Claim::Acquired(held) = &claim {
            held.durable.wait().await.expect("the claim is committed");
        }
        claim
    }

    /// Claim the work of this id, which must be free.
    pub(crate) async fn hold(&self, id: &str) -> Box<Acquired> {
        held(self.claim(arrival(id)).await)
    }

    /// How the work of an arrival stands, which must not be free.
    pub(crate) async fn standing(&self, arrival: Arrival) -> Standing {
        match self.claim(arrival).await {
            Claim::Answered(answered) => answered.standing,
            Claim::Acquired(held) => panic!("acquired {:?}", held.work),
        }
    }

    /// Take the next due work of the step, where there is any.
    pub(crate) async fn take(&self) -> Option<Box<Acquired>> {
        self.store.work_take(SPACE, STEP, TERMS).await.expect("the store works").map(held)
    }

    pub(crate) async fn settle(&self, held: &Acquired, outcome: Outcome) -> Settled {
        self.settle_with(held, outcome, &[]).await
    }

    /// Settle a run that was given the answers of these slots again.
    pub(crate) async fn settle_replaying(
        &self,
        held: &Acquired,
        outcome: Outcome,
        slots: &[&str],
    ) -> Settled {
        let replays = slots.iter().map(|slot| (*slot).to_owned()).collect();
        let (work, token) = (at(&held.work), held.token);
        let settlement = Settlement { work, token, outcome, notes: Vec::new(), replays };
        self.store.work_settle(settlement).await.expect("the store works")
    }

    pub(crate) async fn settle_with(&self, held: &Acquired, outcome: Outcome, notes: &[&str]) -> Settled {
        let notes = notes.iter().map(|note| (*note).to_owned()).collect();
        let settlement =
            Settlement { work: at(&held.work), token: held.token, outcome, notes, replays: Vec::new() };
        self.store.work_settle(settlement).await.expect("the store works")
    }

    /// Finish a new work of this id, with what it collected.
    pub(crate) async fn finish(&self, id: &str, collected: Collected) -> Box<Acquired> {
        let held = self.hold(id).await;
        assert_eq!(self.settle(&held, done_with(collected)).await, Settled::Applied);
        held
    }

    pub(crate) async fn show(&self, work: WorkRef) -> WorkRecord {
        self.store.work_show(work).await.expect("the store works").expect("the work exists")
    }

    /// The kinds of a work's evidence, in order.
    pub(crate) async fn kinds(&self, work: WorkRef) -> Vec<String> {
        let evidence = self.store.evidence_list(work).await.expect("the store works");
        evidence.into_iter().map(|line| line.kind).collect()
    }

    /// All rows of the namespace, oldest first.
    pub(crate) async fn rows(&self) -> Vec<OutboxRow> {
        let filter = OutboxFilter::all(SPACE, 1_000);
        let mut rows = self.store.outbox_list(filter).await.expect("the store works");
        rows.reverse();
        rows
    }

    /// The row of this id.
    pub(crate) async fn row(&self, id: &str) -> OutboxRow {
        self.rows().await.into_iter().find(|row| row.row_id == row_id(id)).expect("the row exists")
    }

    pub(crate) async fn take_rows(&self, order: Take) -> Vec<Sending> {
        self.store.outbox_take(order).await.expect("the store works")
    }

    /// The ids of the rows that are due now, as short as they were given. They are taken.
    pub(crate) async fn take_ids(&self, order: Take) -> Vec<RowId> {
        self.take_rows(order).await.into_iter().map(|sending| sending.row.id).collect()
    }

    /// Record what came of an attempt.
    pub(crate) async fn settle_row(&self, sending: &Sending, outcome: RowOutcome) -> RowSettled {
        let settled = self.store.outbox_settle(sending.row.clone(), sending.token, outcome).await;
        settled.expect("the store works")
    }

    /// Enqueue rows with a work of their own.
    pub(crate) async fn enqueue(&self, rows: Vec<NewRow>) -> WorkRef {
        let id = rows.first().expect("there is a row").id.to_string();
        at(&self.finish(&id, Collected { rows, ..Collected::default() }).await.work)
    }

    /// Where the row of this id stands.
    pub(crate) async fn state(&self, id: RowId) -> RowState {
        self.rows().await.into_iter().find(|row| row.row_id == id).expect("the row exists").state
    }

    /// Approve a row, whatever its payload.
    pub(crate) async fn approve(&self, id: RowId) -> Approved {
        let row = RowRef { namespace: SPACE.to_owned(), id };
        self.store.outbox_approve(row, None, actor()).await.expect("the store works")
    }

    /// Give a row another payload.
    pub(crate) async fn edit(&self, id: RowId, edit: Edit) -> Edited {
        let row = RowRef { namespace: SPACE.to_owned(), id };
        self.store.outbox_edit(row, edit, actor()).await.expect("the store works")
    }

    /// Take the only due row.
    pub(crate) async fn take_row(&self) -> Sending {
        let mut taken = self.take_rows(take()).await;
        assert_eq!(taken.len(), 1, "{taken:?}");
        taken.remove(0)
    }
}

/// The work that was acquired.
pub(crate) fn held(claim: Claim) -> Box<Acquired> {
    match claim {
        Claim::Acquired(held) => held,
        Claim::Answered(answered) => panic!("not acquired: {answered:?}"),
    }
}

pub(crate) fn at(work: &WorkRecord) -> WorkRef {
    WorkRef { namespace: work.namespace.clone(), id: work.work_id }
}

/// The identity of an event under a version. The namespace does not count, so that two of them get equal ids.
pub(crate) fn candidate(id: &str, version: u32, content: &str) -> Candidate {
    let version_text = version.to_string();
    Candidate {
        version,
        work_id: WorkId::from_bytes(digest("work", &[id.as_bytes(), version_text.as_bytes()])),
        root_key: RootKey::from_bytes(digest("root", &[id.as_bytes()])),
        readable_key: format!("{STEP}:v{version}:{id}"),
        content_hash: ContentHash::from_bytes(digest("content", &[content.as_bytes()])),
    }
}

/// An event of this id, under version 1.
pub(crate) fn arrival(id: &str) -> Arrival {
    Arrival {
        namespace: SPACE.to_owned(),
        step: STEP.to_owned(),
        current: candidate(id, 1, "first"),
        earlier: Vec::new(),
        source: "form".to_owned(),
        event_id: Some(id.to_owned()),
        occurred_at_ms: Some(support::sim_clock::START_MS - 1_000),
        payload: r#"{"is":"first"}"#.to_owned(),
        raw: None,
        window: Window::ForEver,
        response: Response::Original,
        taking: Taking::Claim,
        on_mismatch: OnMismatch::Refuse,
        holder: Holder::Host,
        intent: None,
    }
}

/// The same event with other declared content.
pub(crate) fn other_content(id: &str) -> Arrival {
    let payload = r#"{"is":"second"}"#.to_owned();
    Arrival { current: candidate(id, 1, "second"), payload, ..arrival(id) }
}

pub(crate) fn done_with(collected: Collected) -> Outcome {
    Outcome::Done { output: r#"{"score":7}"#.to_owned(), needs_review: None, follow_up: None, collected }
}

pub(crate) fn done() -> Outcome {
    done_with(Collected::default())
}

pub(crate) fn retry(due_in_ms: i64) -> Outcome {
    Outcome::Retry { cause: "the model is away".to_owned(), due_in_ms }
}

pub(crate) fn follow_up(id: &str, payload: &str) -> Box<FollowUp> {
    Box::new(FollowUp {
        work_id: WorkId::from_bytes(digest("follow-up", &[id.as_bytes()])),
        readable_key: format!("reply:v1:{id}"),
        step: "reply".to_owned(),
        version: 1,
        payload: payload.to_owned(),
        content_hash: ContentHash::from_bytes(digest("content", &[payload.as_bytes()])),
        window: Window::ForEver,
    })
}

/// A person.
pub(crate) fn actor() -> Actor {
    Actor { name: "Noor".to_owned(), reason: "checked by hand".to_owned(), action: None }
}

pub(crate) fn row_id(id: &str) -> RowId {
    RowId::from_bytes(digest("row", &[id.as_bytes()]))
}

pub(crate) fn row_ref(id: &str) -> RowRef {
    RowRef { namespace: SPACE.to_owned(), id: row_id(id) }
}

pub(crate) fn row(id: &str, payload: &str) -> NewRow {
    NewRow {
        id: row_id(id),
        destination: CRM.to_owned(),
        slot: "deal".to_owned(),
        effect_version: 1,
        payload: payload.to_owned(),
        payload_hash: digest("payload", &[payload.as_bytes()]),
        ordering_key: None,
        approval: None,
        receipt_step: None,
        same: None,
    }
}

/// A row that stands in the line of an ordering key.
pub(crate) fn in_line(id: &str, key: &str) -> NewRow {
    NewRow { ordering_key: Some(key.to_owned()), ..row(id, "{}") }
}

/// A row that a person must approve.
pub(crate) fn held_row(id: &str) -> NewRow {
    needs_approval(row(id, "{}"))
}

/// The same row, for a person to approve.
pub(crate) fn needs_approval(row: NewRow) -> NewRow {
    let approval = Approval { reason: "it speaks to a customer".to_owned(), expires_after_ms: None };
    NewRow { approval: Some(approval), ..row }
}

/// The same row with a text, of which a repeat is suppressed for `SAME_TEXT_MS`.
pub(crate) fn saying(text: &str, row: NewRow) -> NewRow {
    NewRow { same: Some(same_text(text)), ..row }
}

pub(crate) fn same_text(text: &str) -> SameText {
    SameText { key: digest("same", &[text.as_bytes()]), within_ms: SAME_TEXT_MS }
}

/// Another payload for a held row.
pub(crate) fn edited(payload: &str) -> Edit {
    let payload_hash = digest("payload", &[payload.as_bytes()]);
    Edit { payload: payload.to_owned(), payload_hash, same: None }
}

/// The destination has accepted it, and gave this reference.
pub(crate) fn sent() -> RowOutcome {
    RowOutcome::Sent {
        receipt: r#"{"id":"d-1"}"#.to_owned(),
        truncated: false,
        external_reference: Some("d-1".to_owned()),
        flag: None,
    }
}

/// Another attempt, later.
pub(crate) fn again(due_in_ms: i64, maybe_applied: bool) -> RowOutcome {
    RowOutcome::Again { cause: "reset".to_owned(), due_in_ms, maybe_applied, health: UNWELL }
}

pub(crate) fn in_doubt() -> RowOutcome {
    RowOutcome::InDoubt { cause: "reply lost".to_owned(), health: UNWELL }
}

pub(crate) fn blocked() -> RowOutcome {
    RowOutcome::Blocked { cause: "400".to_owned(), maybe_applied: false, health: Health::Well }
}

/// Collected: rows of these ids.
pub(crate) fn rows(ids: &[&str]) -> Collected {
    Collected { rows: ids.iter().map(|id| row(id, "{}")).collect(), ..Collected::default() }
}

/// An order for the destination's due rows.
pub(crate) fn take() -> Take {
    Take {
        namespace: SPACE.to_owned(),
        destination: CRM.to_owned(),
        envelope: "first envelope".to_owned(),
        lease_ms: LEASE_MS,
        patient: false,
        limit: 100,
        mine: Vec::new(),
        rate: None,
        breaker: None,
    }
}
