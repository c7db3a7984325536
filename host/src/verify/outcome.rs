//! What a run came to: works, effects at the destinations, decisions, stages, and what stands in the ledger about them.

use crate::dispatch::mirror;
use crate::store::Store;
use crate::store::decided::DecisionFilter;
use crate::store::error::StoreError;
use crate::store::outbox::{OutboxFilter, OutboxRow, RowState};
use crate::store::work::{WorkFilter, WorkRecord, WorkRef, WorkState};
use crate::verify::finding::Finding;
use crate::verify::receiver::Written;
use crate::verify::subject::{NAMESPACE, Subject};
use crate::verify::told::is_alert;
use serde_json::Value;
use std::collections::BTreeMap;

/// How the evidence of a run that finished its work begins.
const DONE: &str = "done";

/// Works, rows and decisions of one run at most; one event makes a few.
const LIST_LIMIT: u32 = 10_000;

/// What a run came to. Every part has a name, and a text that is the same whenever the part is.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Outcome {
    /// The parts: a work's state and result, an effect's payload, a decision's answer, a stage.
    pub parts: BTreeMap<String, String>,
    /// What the steps noted, in order, for people.
    pub notes: Vec<String>,
    /// Answers that are on record, as JSON.
    pub answers: Vec<serde_json::Value>,
    /// Works that are not done. Faults of a model may rightly end so; a clean run should not.
    pub unfinished: Vec<Finding>,
    /// What is wrong whatever it is compared with.
    pub findings: Vec<Finding>,
}

impl Outcome {
    /// Read it from the ledger and the destinations.
    pub(super) async fn read(
        ledger: &dyn Store,
        written: &[Written],
        subject: &Subject,
    ) -> Result<Self, StoreError> {
        let mut outcome = Self::default();
        let filter = WorkFilter::all(NAMESPACE, LIST_LIMIT);
        let works = ledger.work_list(filter).await?;
        let rows = ledger.outbox_list(OutboxFilter::all(NAMESPACE, LIST_LIMIT)).await?;
        for work in &works {
            outcome.work(work);
            if let Some(stage) = ledger.progress_find(NAMESPACE, work.root_key).await? {
                outcome.part(format!("the stage of {}", root_of(&works, work)), stage);
            }
            outcome.evidence(ledger, work, &rows).await?;
        }
        for row in &rows {
            outcome.row(row, &works, subject);
        }
        outcome.effects(written, &rows, &works, subject);
        outcome.decisions(ledger).await?;
        Ok(outcome)
    }

    /// What differs from a run without faults.
    #[must_use]
    pub fn differences(&self, clean: &Self) -> Vec<Finding> {
        let absent = || "nothing".to_owned();
        let names =
            clean.parts.keys().chain(self.parts.keys().filter(|name| !clean.parts.contains_key(*name)));
        names
            .filter(|name| clean.parts.get(*name) != self.parts.get(*name))
            .map(|name| Finding::Differs {
                what: name.clone(),
                expected: clean.parts.get(name).cloned().unwrap_or_else(absent),
                found: self.parts.get(name).cloned().unwrap_or_else(absent),
            })
            .collect()
    }

    fn part(&mut self, name: String, text: String) {
        self.parts.insert(name, text);
    }

    fn work(&mut self, work: &WorkRecord) {
        if matches!(work.state, WorkState::Running | WorkState::Waiting) {
            self.left(format!("the work {}", work.readable_key), work.state.word());
        }
        if work.state != WorkState::Done {
            self.unfinished.push(Finding::NotDone {
                work: work.readable_key.clone(),
                state: work.state.word().to_owned(),
                cause: work.cause.clone().unwrap_or_default(),
            });
        }
        let output = work.output.as_deref().unwrap_or("no result");
        let review = work.needs_review.as_ref().map(|why| format!(", for review: {why}")).unwrap_or_default();
        self.part(
            format!("the work {}", work.readable_key),
            format!("{} with {output}{review}", work.state.word()),
        );
    }

    fn row(&mut self, row: &OutboxRow, works: &[WorkRecord], subject: &Subject) {
        let name = row_name(row, works);
        if matches!(row.state, RowState::Pending | RowState::Sending | RowState::Held) {
            self.left(name.clone(), row.state.word());
        }
        if !is_alert(row, subject.alerts.as_deref()) {
            self.part(name, format!("{} under the key {}", row.state.word(), row.row_id));
        }
    }

    fn left(&mut self, what: String, state: &str) {
        self.findings.push(Finding::Left { what, state: state.to_owned() });
    }

    fn effects(&mut self, written: &[Written], rows: &[OutboxRow], works: &[WorkRecord], subject: &Subject) {
        let mut times: BTreeMap<(&str, &str), Vec<&str>> = BTreeMap::new();
        for one in written {
            times.entry((&one.destination, &one.key)).or_default().push(&one.body);
        }
        for ((destination, key), bodies) in times {
            let row = rows.iter().find(|row| row.row_id.to_string() == key);
            let effect = row.map_or_else(|| key.to_owned(), |row| row_name(row, works));
            if bodies.len() > 1 {
                self.findings.push(Finding::Twice {
                    destination: destination.to_owned(),
                    effect: effect.clone(),
                    times: bodies.len(),
                });
            }
            if row.is_some_and(|row| is_alert(row, subject.alerts.as_deref())) {
                continue;
            }
            let body = match row.is_some_and(|row| is_mirrored(row, subject)) {
                true => bodies.into_iter().map(without_time).collect::<Vec<_>>().join(" and "),
                false => bodies.join(" and "),
            };
            self.part(format!("what {destination} has of {effect}"), body);
        }
    }

    async fn decisions(&mut self, ledger: &dyn Store) -> Result<(), StoreError> {
        let filter = DecisionFilter {
            namespace: NAMESPACE.to_owned(),
            work: None,
            slot: None,
            waiting: false,
            limit: LIST_LIMIT,
        };
        for entry in ledger.decision_list(filter).await? {
            let answer = entry.decided.map(|decided| decided.answer);
            let answer = answer.unwrap_or_else(|| "nothing".to_owned());
            self.answers.extend(serde_json::from_str::<serde_json::Value>(&answer).ok());
            self.part(format!("the decision {:?} of {}", entry.slot, entry.work_key), answer);
        }
        Ok(())
    }

    /// Whether the evidence tells of what the ledger says.
    async fn evidence(
        &mut self,
        ledger: &dyn Store,
        work: &WorkRecord,
        rows: &[OutboxRow],
    ) -> Result<(), StoreError> {
        let lines =
            ledger.evidence_list(WorkRef { namespace: NAMESPACE.to_owned(), id: work.work_id }).await?;
        let notes = lines.iter().filter(|line| line.kind == "note").map(|line| line.detail.clone());
        self.notes.extend(notes);
        let tells = |kinds: &[&str], of: &str| {
            lines.iter().any(|line| kinds.contains(&line.kind.as_str()) && line.detail.contains(of))
        };
        let ends =
            lines.iter().filter(|line| line.kind == "settled" && line.detail.starts_with(DONE)).count();
        if ends > 1 {
            self.findings.push(Finding::FinishedTwice { work: work.readable_key.clone(), times: ends });
        }
        let mut missing = Vec::new();
        if !tells(&["claimed", "recorded"], "") {
            missing.push("its claim".to_owned());
        }
        if work.state == WorkState::Done && !tells(&["settled", "decided-by"], "") {
            missing.push("its end".to_owned());
        }
        for row in rows.iter().filter(|row| row.work_id == work.work_id && row.state == RowState::Sent) {
            if !tells(&["sent", "decided-by"], &row.row_id.to_string()) {
                missing.push(format!("the delivery of {:?} to {}", row.slot, row.destination));
            }
        }
        let work = work.readable_key.clone();
        self.findings.extend(missing.into_iter().map(|what| Finding::Evidence { work: work.clone(), what }));
        Ok(())
    }
}

/// Whether a row tells the stage of a handoff.
fn is_mirrored(row: &OutboxRow, subject: &Subject) -> bool {
    let mirror = subject.mirror.as_ref().map(|mirror| mirror.destination.as_str());
    mirror == Some(row.destination.as_str()) && row.slot.starts_with(mirror::SLOT)
}

/// What tells a stage also tells when it was reached, which is later where something has failed before.
fn without_time(body: &str) -> String {
    let mut told: Value = serde_json::from_str(body).unwrap_or(Value::Null);
    match told.get_mut("at") {
        Some(at) => *at = Value::from("when it was reached"),
        None => return body.to_owned(),
    }
    told.to_string()
}

fn root_of<'a>(works: &'a [WorkRecord], work: &'a WorkRecord) -> &'a str {
    let root = works.iter().find(|root| root.root_key == work.root_key && root.chain_depth == 0);
    &root.unwrap_or(work).readable_key
}

fn row_name(row: &OutboxRow, works: &[WorkRecord]) -> String {
    let work = works.iter().find(|work| work.work_id == row.work_id);
    let work = work.map_or_else(|| row.work_id.to_string(), |work| work.readable_key.clone());
    format!("the effect {:?} at {} of {work}", row.slot, row.destination)
}
