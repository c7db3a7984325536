//! What each function of the host does in a native test, and what is remembered between them.

use crate::bindings::onceward::step::decisions::{Decision, DecisionError, Origin, Question};
use crate::bindings::onceward::step::ledger::{Effect, ItemVerdict, LedgerError};
use crate::bindings::onceward::step::outbox::{EnqueueError, Row};
use crate::bindings::onceward::step::progress::ProgressError;
use serde_json::Value;
use std::cell::RefCell;
use std::collections::hash_map::DefaultHasher;
use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::hash::{Hash as _, Hasher as _};

thread_local! {
    /// The world of the run that is under way on this thread.
    static WORLD: RefCell<Option<World>> = const { RefCell::new(None) };
}

/// An item of a batch.
#[derive(Debug, Clone)]
enum Item {
    Done(Option<String>),
    Elsewhere,
    /// Held by this run, and perhaps collected as done.
    Held(Option<Option<String>>),
}

/// What a run has collected.
#[derive(Debug, Default)]
pub(crate) struct Collected {
    pub(crate) rows: Vec<Row>,
    pub(crate) notes: Vec<String>,
    pub(crate) stages: Vec<String>,
}

/// What the host knows about the work.
#[derive(Debug, Default)]
pub(crate) struct World {
    pub(crate) occurred_at_ms: i64,
    pub(crate) attempt: u32,
    pub(crate) asked: Vec<Question>,
    answers: BTreeMap<String, VecDeque<Result<String, DecisionError>>>,
    pinned: BTreeMap<String, String>,
    rejected: BTreeMap<String, String>,
    withheld: BTreeSet<String>,
    granted: BTreeSet<String>,
    stages: Option<Vec<String>>,
    reached: Option<String>,
    items: BTreeMap<String, Item>,
    committed: Vec<Row>,
    cursor: Option<String>,
    run: Collected,
}

impl World {
    pub(crate) fn give(&mut self, model: &str, answer: Result<String, DecisionError>) {
        self.answers.entry(model.to_owned()).or_default().push_back(answer);
    }

    pub(crate) fn reject(&mut self, slot: &str, reason: &str) {
        self.rejected.insert(slot.to_owned(), reason.to_owned());
    }

    pub(crate) fn withhold(&mut self, name: &str) {
        self.withheld.insert(name.to_owned());
    }

    pub(crate) fn stages(&mut self, stages: Vec<String>) {
        self.stages = Some(stages);
    }

    pub(crate) fn finish_item(&mut self, key: &str, reference: Option<String>) {
        self.items.insert(key.to_owned(), Item::Done(reference));
    }

    pub(crate) fn hold_item(&mut self, key: &str) {
        self.items.insert(key.to_owned(), Item::Elsewhere);
    }

    pub(crate) fn items_done(&self) -> Vec<(String, Option<String>)> {
        let done = self.items.iter().filter_map(|(key, item)| match item {
            Item::Done(reference) => Some((key.clone(), reference.clone())),
            Item::Elsewhere | Item::Held(_) => None,
        });
        done.collect()
    }

    pub(crate) fn work_id(&self) -> String {
        digits("work", 64)
    }

    /// A run begins, with what its contract asks for.
    pub(crate) fn begin(&mut self, asked: BTreeSet<String>) {
        self.attempt += 1;
        self.granted = asked.difference(&self.withheld).cloned().collect();
        self.run = Collected::default();
    }

    /// A run ends: with a commit and the cursor that it gave, or without. What it has to show.
    pub(crate) fn end(&mut self, committed: Option<Option<String>>) -> Collected {
        let mut run = std::mem::take(&mut self.run);
        let kept = |item| match item {
            Item::Held(recorded) => recorded.filter(|_| committed.is_some()).map(Item::Done),
            other => Some(other),
        };
        let items = std::mem::take(&mut self.items).into_iter();
        self.items = items.filter_map(|(key, item)| Some((key, kept(item)?))).collect();
        let Some(cursor) = committed else {
            (run.rows, run.stages) = (Vec::new(), Vec::new());
            return run;
        };
        // A chunk is progress: attempts begin anew.
        if cursor.is_some() {
            self.attempt = 0;
        }
        self.cursor = cursor;
        self.reached = run.stages.last().cloned().or(self.reached.take());
        self.committed.extend(run.rows.iter().cloned());
        run
    }
}

/// Run with a world on this thread; it comes back also where the step panics.
pub(crate) fn within<T>(world: World, run: impl FnOnce() -> T) -> (World, T) {
    struct Leave;
    impl Drop for Leave {
        fn drop(&mut self) {
            WORLD.with_borrow_mut(|world| *world = None);
        }
    }
    WORLD.with_borrow_mut(|place| {
        assert!(place.is_none(), "a step runs within another one; run one after the other");
        *place = Some(world);
    });
    let leave = Leave;
    let made = run();
    let world = WORLD.with_borrow_mut(Option::take).unwrap_or_default();
    drop(leave);
    (world, made)
}

fn world<T>(act: impl FnOnce(&mut World) -> T) -> T {
    WORLD.with_borrow_mut(|world| {
        let world = world.as_mut().expect(
            "a function of the host was called where there is none: run the step with onceward_guest::testing::Host",
        );
        act(world)
    })
}

pub(crate) fn occurred_at() -> i64 {
    world(|world| world.occurred_at_ms)
}

pub(crate) fn seed(label: &str) -> u64 {
    number(label, 0)
}

pub(crate) fn derive_id(label: &str) -> String {
    let digits = digits(label, 32);
    // Version 8 and the variant of RFC 9562, as the real host's.
    format!("{}-{}-8{}-8{}-{}", &digits[..8], &digits[8..12], &digits[13..16], &digits[17..20], &digits[20..])
}

fn number(label: &str, nth: u64) -> u64 {
    let mut hasher = DefaultHasher::new();
    (label, nth).hash(&mut hasher);
    hasher.finish()
}

fn digits(label: &str, length: usize) -> String {
    let mut digits: String = (0..4).map(|nth| format!("{:016x}", number(label, nth))).collect();
    digits.truncate(length);
    digits
}

pub(crate) fn note(text: &str) {
    world(|world| world.run.notes.push(text.to_owned()));
}

pub(crate) fn recall(slot: &str) -> Result<Option<Decision>, DecisionError> {
    world(|world| world.recall(slot))
}

pub(crate) fn cache(slot: &str, answer: &str) -> Result<Decision, DecisionError> {
    world(|world| {
        if let Some(found) = world.recall(slot)? {
            return Ok(found);
        }
        world.pinned.insert(slot.to_owned(), answer.to_owned());
        Ok(Decision { answer: answer.to_owned(), origin: Origin::Asked })
    })
}

pub(crate) fn decide(question: &Question) -> Result<Decision, DecisionError> {
    world(|world| {
        if let Some(found) = world.recall(&question.slot)? {
            return Ok(found);
        }
        if question.slot.is_empty() {
            return Err(DecisionError::InvalidQuestion("the slot is empty".to_owned()));
        }
        if !world.granted.contains(&question.model) {
            return Err(DecisionError::NotGranted(question.model.clone()));
        }
        world.asked.push(question.clone());
        let answer = world.answers.get_mut(&question.model).and_then(VecDeque::pop_front);
        let Some(answer) = answer else {
            panic!(
                "the step asks the model {:?} (slot {:?}), and the test gives no answer: add Host::answer",
                question.model, question.slot
            );
        };
        let answer = answer?;
        world.pinned.insert(question.slot.clone(), answer.clone());
        Ok(Decision { answer, origin: Origin::Asked })
    })
}

impl World {
    fn recall(&self, slot: &str) -> Result<Option<Decision>, DecisionError> {
        if let Some(reason) = self.rejected.get(slot) {
            return Err(DecisionError::Rejected(reason.clone()));
        }
        let pinned = self.pinned.get(slot);
        Ok(pinned.map(|answer| Decision { answer: answer.clone(), origin: Origin::Pinned }))
    }
}

pub(crate) fn claim(items: &[String]) -> Result<Vec<ItemVerdict>, LedgerError> {
    if items.iter().any(String::is_empty) {
        return Err(LedgerError::InvalidKey("a key is empty".to_owned()));
    }
    world(|world| {
        let verdicts = items.iter().map(|key| match world.items.get(key) {
            Some(Item::Done(reference)) => ItemVerdict::Done(reference.clone()),
            Some(Item::Elsewhere | Item::Held(_)) => ItemVerdict::InProgress,
            None => {
                world.items.insert(key.clone(), Item::Held(None));
                ItemVerdict::Acquired
            }
        });
        Ok(verdicts.collect())
    })
}

pub(crate) fn record_effect(effect: &Effect) -> Result<(), LedgerError> {
    world(|world| match world.items.get_mut(&effect.item) {
        Some(Item::Held(recorded)) => {
            *recorded = Some(effect.external_reference.clone());
            Ok(())
        }
        _ => Err(LedgerError::NotClaimed(effect.item.clone())),
    })
}

pub(crate) fn release(item: &str) -> Result<(), LedgerError> {
    world(|world| match world.items.get(item) {
        Some(Item::Held(_)) => {
            world.items.remove(item);
            Ok(())
        }
        _ => Err(LedgerError::NotClaimed(item.to_owned())),
    })
}

pub(crate) fn enqueue(row: &Row) -> Result<String, EnqueueError> {
    let Row { destination, slot, effect_version, .. } = row;
    let id = digits(&format!("{destination}\n{slot}\n{effect_version}"), 64);
    if destination.is_empty() || slot.is_empty() {
        return Err(EnqueueError::InvalidRow("the destination and the slot must have names".to_owned()));
    }
    world(|world| {
        if !world.granted.contains(destination) {
            return Err(EnqueueError::NotGranted(destination.clone()));
        }
        let same = |other: &&Row| {
            (&other.destination, &other.slot, &other.effect_version) == (destination, slot, effect_version)
        };
        match world.committed.iter().chain(&world.run.rows).find(same) {
            Some(first) if value(&first.payload) != value(&row.payload) => {
                return Err(EnqueueError::Conflict(id));
            }
            Some(_) => {}
            None => world.run.rows.push(row.clone()),
        }
        Ok(id)
    })
}

pub(crate) fn advance(stage: &str) -> Result<(), ProgressError> {
    world(|world| {
        if let Some(stages) = &world.stages {
            let place = |name: &str| stages.iter().position(|known| known == name);
            let Some(to) = place(stage) else {
                return Err(ProgressError::UnknownStage(stages.join(", ")));
            };
            let reached = world.run.stages.last().or(world.reached.as_ref());
            if let Some(reached) = reached
                && place(reached).is_some_and(|at| at > to)
            {
                return Err(ProgressError::Backwards(reached.clone()));
            }
        }
        world.run.stages.push(stage.to_owned());
        Ok(())
    })
}

pub(crate) fn load_cursor() -> Option<String> {
    world(|world| world.cursor.clone())
}

/// JSON text as a value; a text that is none stays text.
pub(crate) fn value(text: &str) -> Value {
    serde_json::from_str(text).unwrap_or_else(|_| Value::from(text))
}
