//! A host for plain `cargo test`: a step runs natively, and what it did can be looked at.
//!
//! It owns what the host's functions do outside WebAssembly. Decisions stay pinned, items stay done and the cursor is kept from one
//! run to the next, as in the ledger; rows, marks and effects of a run that failed are dropped. Grants are those that the
//! contract asks for. It has no network, no schemas (`onceward dev` checks answers against theirs) and no limits: what it can't tell,
//! `onceward verify` does.
//!
//! ```
//! use onceward_guest::prelude::*;
//! use onceward_guest::testing::Host;
//! use serde_json::json;
//!
//! pub struct Greet;
//!
//! impl Step for Greet {
//!     type Input = String;
//!     type Output = String;
//!
//!     fn handle(work: Work<String>) -> Result<Outcome<String>, Failure> {
//!         let tone = Question::to("writer").slot("tone").prompt("Which tone?").decide::<String>()?.answer;
//!         Row::to("chat").slot("greeting").payload(&format!("a {tone} hello, {}", work.payload)).enqueue()?;
//!         Ok(Outcome::done(tone))
//!     }
//! }
//!
//! step! {
//!     Greet,
//!     name: "greet",
//!     version: 1,
//!     identity: Identity::EventKey,
//!     window: Window::ForEver,
//!     response: Response::Original,
//!     destinations: ["chat"],
//!     models: ["writer"],
//! }
//!
//! let mut host = Host::new().answer("writer", json!("warm"));
//! let run = host.run::<Greet>(json!("Ada"));
//! assert_eq!(run.outcome, Ok(Outcome::done("warm".to_owned())));
//! assert_eq!(run.rows[0].payload, json!("a warm hello, Ada"));
//!
//! // A retry gets what was decided, and asks nobody.
//! assert_eq!(host.run::<Greet>(json!("Ada")).outcome, Ok(Outcome::done("warm".to_owned())));
//! assert_eq!(host.questions().len(), 1);
//! ```

use crate::bindings::onceward::step::decisions as wit;
use crate::bindings::onceward::step::outbox::Row;
use crate::export::{Declare, attempt};
use crate::host::native::{World, value, within};
use crate::outcome::{Failure, Outcome};
use serde_json::Value;
use std::collections::BTreeSet;

/// When events happen here, in milliseconds since the Unix epoch, where a test does not say.
pub const OCCURRED_AT_MS: i64 = 1_700_000_000_000;

/// A host with one work.
#[derive(Debug)]
pub struct Host {
    world: World,
    source: String,
    event_id: Option<String>,
}

/// What a run did.
#[derive(Debug, Clone, PartialEq)]
pub struct Run<O> {
    /// What the step answered.
    pub outcome: Result<Outcome<O>, Failure>,
    /// What it enqueued, in order; none where it failed, since nothing of it commits.
    pub rows: Vec<SentRow>,
    /// What it noted, in order. Notes of a run that failed stay in the evidence.
    pub notes: Vec<String>,
    /// The stages it moved the handoff to, in order; none where it failed.
    pub stages: Vec<String>,
}

/// An effect that a step enqueued.
#[derive(Debug, Clone, PartialEq)]
pub struct SentRow {
    /// Where to.
    pub destination: String,
    /// Its name within the handoff.
    pub slot: String,
    /// The version of the effect.
    pub effect_version: u32,
    /// The body.
    pub payload: Value,
    /// Rows with the same one leave in order.
    pub ordering_key: Option<String>,
    /// Why a person must approve it first, where that is so.
    pub approval: Option<String>,
    /// The step that goes on from the receipt.
    pub receipt_step: Option<String>,
}

/// A question that a model was asked.
#[derive(Debug, Clone, PartialEq)]
pub struct Asked {
    /// The model's name.
    pub model: String,
    /// The decision's name within the work.
    pub slot: String,
    /// What the model was told to do.
    pub prompt: String,
    /// What it was about.
    pub input: Value,
}

impl Default for Host {
    fn default() -> Self {
        Self::new()
    }
}

impl Host {
    /// A host that knows no answers, with a work that has never run.
    #[must_use]
    pub fn new() -> Self {
        let mut world = World::default();
        world.occurred_at_ms = OCCURRED_AT_MS;
        Self { world, source: "test".to_owned(), event_id: Some("event-1".to_owned()) }
    }

    /// The model's next answer. They are given in this order; a step that asks for more fails the test.
    #[must_use]
    pub fn answer(mut self, model: &str, answer: Value) -> Self {
        self.world.give(model, Ok(answer.to_string()));
        self
    }

    /// The model's next call fails, for this reason.
    #[must_use]
    pub fn model_fails(mut self, model: &str, reason: &str) -> Self {
        self.world.give(model, Err(wit::DecisionError::ModelFailed(reason.to_owned())));
        self
    }

    /// The model's next answer does not fit the question's schema, for this reason.
    #[must_use]
    pub fn model_answers_invalid(mut self, model: &str, reason: &str) -> Self {
        self.world.give(model, Err(wit::DecisionError::InvalidAnswer(reason.to_owned())));
        self
    }

    /// A person rejected the answer in this slot.
    #[must_use]
    pub fn rejected(mut self, slot: &str, reason: &str) -> Self {
        self.world.reject(slot, reason);
        self
    }

    /// The operator does not grant this model or destination, although the contract asks for it.
    #[must_use]
    pub fn without(mut self, name: &str) -> Self {
        self.world.withhold(name);
        self
    }

    /// The handoff's stages, in order. Without them every stage is known, and none is behind another.
    #[must_use]
    pub fn stages<'a>(mut self, stages: impl IntoIterator<Item = &'a str>) -> Self {
        self.world.stages(stages.into_iter().map(str::to_owned).collect());
        self
    }

    /// An item of the batch that was done before, with its external reference.
    #[must_use]
    pub fn item_done(mut self, key: &str, reference: Option<&str>) -> Self {
        self.world.finish_item(key, reference.map(str::to_owned));
        self
    }

    /// An item of the batch that another run holds.
    #[must_use]
    pub fn item_in_progress(mut self, key: &str) -> Self {
        self.world.hold_item(key);
        self
    }

    /// Where the event came from, and its provider's id.
    #[must_use]
    pub fn event(mut self, source: &str, event_id: Option<&str>) -> Self {
        (self.source, self.event_id) = (source.to_owned(), event_id.map(str::to_owned));
        self
    }

    /// When the event happened, in milliseconds since the Unix epoch.
    #[must_use]
    pub fn occurred_at_ms(mut self, ms: i64) -> Self {
        self.world.occurred_at_ms = ms;
        self
    }

    /// Run the step on this payload, as the work's next attempt or chunk.
    ///
    /// # Panics
    /// Where the step asks a model that has no answer left: the test is not complete.
    pub fn run<S: Declare>(&mut self, payload: Value) -> Run<S::Output> {
        let contract = S::CONTRACT.to_wit();
        let names = contract.destinations.into_iter().map(|wanted| wanted.name);
        let asked: BTreeSet<String> = names.chain(contract.models).collect();
        self.world.begin(asked);
        let work = crate::bindings::exports::onceward::step::guest::Work {
            id: self.world.work_id(),
            key: format!("{}:v{}:{}", contract.name, contract.version, self.source),
            namespace: "test".to_owned(),
            attempt: self.world.attempt,
            source: self.source.clone(),
            event_id: self.event_id.clone(),
            payload: payload.to_string(),
        };
        let (world, outcome) = within(std::mem::take(&mut self.world), || attempt::<S>(work));
        self.world = world;
        let collected = self.world.end(match &outcome {
            Ok(Outcome::Continue { cursor }) => Some(Some(cursor.clone())),
            Ok(Outcome::Done { .. }) => Some(None),
            Err(_) => None,
        });
        let rows = collected.rows.into_iter().map(SentRow::from).collect();
        Run { outcome, rows, notes: collected.notes, stages: collected.stages }
    }

    /// The questions that models were asked in all runs. What was pinned or recalled is not asked.
    #[must_use]
    pub fn questions(&self) -> Vec<Asked> {
        let asked = self.world.asked.iter().map(|question| Asked {
            model: question.model.clone(),
            slot: question.slot.clone(),
            prompt: question.prompt.clone(),
            input: value(&question.input),
        });
        asked.collect()
    }

    /// Items of the batch that are done, with their external references.
    #[must_use]
    pub fn items_done(&self) -> Vec<(String, Option<String>)> {
        self.world.items_done()
    }
}

impl<O> Run<O> {
    /// The output of a step that is done.
    ///
    /// # Panics
    /// Where it is not.
    pub fn output(self) -> O
    where
        O: std::fmt::Debug,
    {
        match self.outcome {
            Ok(Outcome::Done { output, .. }) => output,
            other => panic!("the step is not done: {other:?}"),
        }
    }
}

impl From<Row> for SentRow {
    fn from(row: Row) -> Self {
        let Row { destination, slot, effect_version, payload, ordering_key, approval, receipt_step } = row;
        let (payload, approval) = (value(&payload), approval.map(|approval| approval.reason));
        Self { destination, slot, effect_version, payload, ordering_key, approval, receipt_step }
    }
}

#[cfg(test)]
mod tests {
    use super::{Host, Run};
    use crate::decisions;
    use crate::ledger::ItemVerdict;
    use crate::prelude::*;
    use serde_json::{Value, json};

    /// Does what its payload says.
    struct Acts;

    impl Step for Acts {
        type Input = Vec<String>;
        type Output = Vec<String>;

        fn handle(work: Work<Vec<String>>) -> Result<Outcome<Vec<String>>, Failure> {
            let mut said = Vec::new();
            for act in work.payload {
                let (act, with) = act.split_once(' ').unwrap_or((&act, ""));
                match act {
                    "ask" => said.push(ask(with)?),
                    "cache" => said.push(decisions::cache(with, &"by rule".to_owned())?.answer),
                    "send" => said.push(Row::to(with).slot("deal").payload(&with).enqueue()?),
                    "send-other" => said.push(Row::to("crm").slot("deal").payload(&with).enqueue()?),
                    "stage" => progress::advance(with)?,
                    "item" => said.push(item(with)?),
                    "cursor" => said.extend(progress::load_cursor()),
                    "note" => journal::note(with),
                    "more" => return Ok(Outcome::continue_from(with)),
                    _ => return Err(Failure::retry("told to fail")),
                }
            }
            Ok(Outcome::done(said))
        }
    }

    crate::step! {
        Acts,
        name: "acts",
        version: 1,
        identity: Identity::EventKey,
        window: Window::ForEver,
        response: Response::Original,
        destinations: ["crm"],
        models: ["oracle"],
    }

    fn ask(slot: &str) -> Result<String, Failure> {
        Ok(Question::to("oracle").slot(slot).prompt("What?").input(&slot).decide::<String>()?.answer)
    }

    fn item(key: &str) -> Result<String, Failure> {
        let verdict = ledger::claim([key])?.remove(0);
        if verdict == ItemVerdict::Acquired {
            ledger::record_effect(key, Some("r-1"))?;
        }
        Ok(format!("{verdict:?}"))
    }

    fn run(host: &mut Host, acts: &[&str]) -> Run<Vec<String>> {
        host.run::<Acts>(json!(acts))
    }

    #[test]
    fn an_answer_is_pinned_and_outlives_a_run_that_failed() {
        let mut host = Host::new().answer("oracle", json!("first")).answer("oracle", json!("second"));
        assert_eq!(run(&mut host, &["ask a", "fail"]).outcome, Err(Failure::retry("told to fail")));
        assert_eq!(run(&mut host, &["ask a", "ask b", "cache a"]).output(), ["first", "second", "first"]);
        let asked: Vec<Value> = host.questions().into_iter().map(|asked| asked.input).collect();
        assert_eq!(asked, [json!("a"), json!("b")]);
    }

    #[test]
    fn what_a_failed_run_collected_is_dropped_and_its_notes_stay() {
        let mut host = Host::new();
        let failed = run(&mut host, &["send crm", "stage received", "item i", "note why", "fail"]);
        assert!(failed.rows.is_empty() && failed.stages.is_empty());
        assert_eq!(failed.notes, ["why"]);
        let done = run(&mut host, &["send crm", "stage received", "item i"]);
        assert_eq!((done.rows.len(), done.stages.len()), (1, 1));
        assert_eq!(done.output()[1], "Acquired");
        assert_eq!(host.items_done(), [("i".to_owned(), Some("r-1".to_owned()))]);
        assert!(run(&mut host, &["item i"]).output()[0].starts_with("Done"));
    }

    #[test]
    fn a_row_is_one_and_its_first_payload_stands() {
        let mut host = Host::new();
        assert_eq!(run(&mut host, &["send crm", "send crm"]).rows.len(), 1);
        assert!(run(&mut host, &["send crm"]).rows.is_empty(), "it is there already");
        assert!(matches!(run(&mut host, &["send-other x"]).outcome, Err(Failure::Review(_))));
    }

    #[test]
    fn a_chunk_gives_its_cursor_to_the_next_run() {
        let mut host = Host::new();
        assert_eq!(run(&mut host, &["cursor", "more 10"]).outcome, Ok(Outcome::continue_from("10")));
        assert_eq!(run(&mut host, &["cursor"]).output(), ["10"]);
    }

    #[test]
    fn grants_stages_and_items_elsewhere_are_as_the_test_says() {
        let refused = |mut host: Host, act: &str| match run(&mut host, &[act]).outcome {
            Err(Failure::Review(reason) | Failure::Retry { reason, .. }) => reason,
            other => panic!("{act}: {other:?}"),
        };
        assert!(
            refused(Host::new(), "send chat").contains("not granted"),
            "the contract does not ask for it"
        );
        assert!(refused(Host::new().without("crm"), "send crm").contains("not granted"));
        assert!(refused(Host::new().without("oracle"), "ask a").contains("not granted"));
        assert!(refused(Host::new().stages(["a", "b"]), "stage c").contains("no such stage"));
        assert!(refused(Host::new().model_fails("oracle", "away"), "ask a").contains("away"));
        let mut host = Host::new().stages(["a", "b"]);
        run(&mut host, &["stage b"]);
        assert!(refused(host, "stage a").contains("has reached `b`"));
        assert_eq!(run(&mut Host::new().item_in_progress("i"), &["item i"]).output(), ["InProgress"]);
    }

    #[test]
    #[should_panic(expected = "the test gives no answer")]
    fn a_question_without_an_answer_fails_the_test() {
        run(&mut Host::new(), &["ask a"]);
    }

    #[test]
    fn a_step_that_panics_leaves_the_thread_usable() {
        let ended = std::panic::catch_unwind(|| run(&mut Host::new(), &["ask a"]));
        assert!(ended.is_err());
        assert_eq!(run(&mut Host::new(), &["note x"]).notes, ["x"]);
    }

    #[test]
    fn ids_are_uuids_of_version_8_and_the_same_again() {
        let mut host = Host::new();
        let (_, id) =
            crate::host::native::within(std::mem::take(&mut host.world), || context::derive_id("deal"));
        assert_eq!(id.len(), 36);
        assert_eq!((&id[14..15], &id[19..20]), ("8", "8"), "{id}");
    }
}
