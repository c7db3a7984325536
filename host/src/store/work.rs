//! Works and settlements, as the store takes and gives them.

use crate::contract::fence::Token;
use crate::contract::window::Window;
use crate::identity::key::ContentHash;
use crate::identity::key::RootKey;
use crate::identity::key::WorkId;
use crate::store::decision::RulePin;
use crate::store::item::ItemEffect;
use crate::store::outbox::NewRow;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// A work by its identity.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize)]
pub struct WorkRef {
    /// The namespace it lives in.
    pub namespace: String,
    /// Its id.
    pub id: WorkId,
}

/// Where a work stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "kebab-case")]
pub enum WorkState {
    /// Due later, or now.
    Waiting,
    /// Claimed; the lease may have ended.
    Running,
    /// Finished. It never changes.
    Done,
    /// A person must decide.
    Review,
    /// It can never succeed. It never changes.
    Rejected,
    /// It may or may not have happened outside.
    InDoubt,
    /// Attempts or time used up, or a row that conflicts.
    Dead,
    /// Stopped by an operator. It never changes.
    Cancelled,
}

impl WorkState {
    /// All states, in the order of the lifecycle.
    pub const ALL: [Self; 8] = [
        Self::Waiting,
        Self::Running,
        Self::Done,
        Self::Review,
        Self::Rejected,
        Self::InDoubt,
        Self::Dead,
        Self::Cancelled,
    ];

    /// The word that is stored and shown.
    #[must_use]
    pub const fn word(self) -> &'static str {
        match self {
            Self::Waiting => "waiting",
            Self::Running => "running",
            Self::Done => "done",
            Self::Review => "review",
            Self::Rejected => "rejected",
            Self::InDoubt => "in-doubt",
            Self::Dead => "dead",
            Self::Cancelled => "cancelled",
        }
    }

    /// Whether a work in it never changes again, whoever asks.
    #[must_use]
    pub const fn is_final(self) -> bool {
        matches!(self, Self::Done | Self::Rejected | Self::Cancelled)
    }

    /// The state of this word.
    #[must_use]
    pub fn from_word(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|state| state.word() == word)
    }
}

/// Who runs a work.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Holder {
    /// A step in this host. Its lease ends with the host's process.
    Host,
    /// A program outside, which does the effects itself. Its lease outlives the host's process.
    Caller,
}

impl Holder {
    /// The word that is stored and shown.
    #[must_use]
    pub const fn word(self) -> &'static str {
        match self {
            Self::Host => "host",
            Self::Caller => "caller",
        }
    }

    /// The holder of this word.
    #[must_use]
    pub fn from_word(word: &str) -> Option<Self> {
        [Self::Host, Self::Caller].into_iter().find(|holder| holder.word() == word)
    }
}

/// One work as it is stored.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
pub struct WorkRecord {
    /// The namespace.
    pub namespace: String,
    /// The id.
    pub work_id: WorkId,
    /// The identity it descends from.
    pub root_key: RootKey,
    /// The contract version of the root work.
    pub root_version: u32,
    /// The readable key.
    pub readable_key: String,
    /// The step.
    pub step: String,
    /// The contract version it was recorded under.
    pub version: u32,
    /// Who runs it.
    pub holder: Holder,
    /// Where the event came from.
    pub source: String,
    /// The provider's message id.
    pub event_id: Option<String>,
    /// The event's original time, Unix milliseconds.
    pub occurred_at_ms: i64,
    /// JSON text.
    pub payload: String,
    /// Where it stands.
    pub state: WorkState,
    /// Claims so far, since the last restart of the count.
    pub attempt: u32,
    /// When the time budget began, Unix milliseconds: with the first attempt since the last restart of the count.
    pub budget_from_ms: Option<i64>,
    /// How many chunks of a batch have ended with `continue`.
    pub chunk: u32,
    /// How many arrivals of it were answered without a new claim.
    pub duplicates: u64,
    /// When it is due, where it waits.
    pub due_ms: Option<i64>,
    /// When the lease ends, where it runs.
    pub lease_until_ms: Option<i64>,
    /// The batch cursor.
    pub cursor: Option<String>,
    /// JSON text, where it is done.
    pub output: Option<String>,
    /// Why a person is asked to look at a done work.
    pub needs_review: Option<String>,
    /// The last cause of a failure.
    pub cause: Option<String>,
    /// How many follow-ups lie between it and its root.
    pub chain_depth: u32,
    /// When its payloads were erased on request, Unix milliseconds. Payload and output are a mark since.
    pub erased_ms: Option<i64>,
    /// When it was recorded, Unix milliseconds.
    pub created_ms: i64,
    /// When it last changed, Unix milliseconds.
    pub updated_ms: i64,
}

/// The end of a run.
#[derive(Clone, Debug)]
pub struct Settlement {
    /// The work.
    pub work: WorkRef,
    /// Proof of the claim.
    pub token: Token,
    /// How it ended.
    pub outcome: Outcome,
    /// Notes for people; they are kept whatever the outcome.
    pub notes: Vec<String>,
    /// Slots whose answer of an earlier attempt the run was given again; they are counted whatever the outcome.
    pub replays: Vec<String>,
}

/// How a run ended.
#[derive(Clone, Debug)]
pub enum Outcome {
    /// The step has finished.
    Done {
        /// JSON text.
        output: String,
        /// Why a person is asked to look.
        needs_review: Option<String>,
        /// The next step's work.
        follow_up: Option<Box<FollowUp>>,
        /// What was collected.
        collected: Collected,
    },
    /// A chunk has finished; the work goes on at once.
    Continue {
        /// For the next run.
        cursor: String,
        /// What was collected.
        collected: Collected,
    },
    /// Again, later. Nothing that was collected commits.
    Retry {
        /// Why.
        cause: String,
        /// When, in milliseconds from now.
        due_in_ms: i64,
    },
    /// The host is stopping, and the run was cut off before it came to an end: as if it had not been claimed. The attempt
    /// is not counted, and the work is due at once. Nothing that was collected commits.
    GiveBack {
        /// Why.
        cause: String,
    },
    /// Never again by itself: the budget is used up, or a conflict.
    Dead {
        /// Why.
        cause: String,
    },
    /// A person must decide.
    Review {
        /// Why.
        cause: String,
    },
    /// An answer must be approved before the step may have it: it waits for a person.
    Hold {
        /// The decision's name within the work.
        slot: String,
        /// JSON text, where the step found the answer by rule: it is pinned here. Else it is pinned already.
        by_rule: Option<String>,
        /// When the request can't be approved any more, in milliseconds from now.
        expires_in_ms: Option<i64>,
        /// Why.
        cause: String,
    },
    /// It can never succeed.
    Reject {
        /// Why.
        cause: String,
    },
    /// The effect of an outside caller may or may not have happened.
    InDoubt {
        /// Why.
        cause: String,
    },
}

/// What a run collected, to be committed with its outcome.
#[derive(Clone, Debug, Default)]
pub struct Collected {
    /// Outbox rows.
    pub rows: Vec<NewRow>,
    /// The stage reached.
    pub mark: Option<Mark>,
    /// Decisions that the step made by rule.
    pub pins: Vec<RulePin>,
    /// Items that are done.
    pub effects: Vec<ItemEffect>,
    /// Items given back.
    pub released: Vec<String>,
}

/// A stage of a handoff, by the operator's list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mark {
    /// Its name.
    pub stage: String,
    /// The stages that a handoff does not leave for this one: itself, and those after it. By name, since the list may
    /// change while handoffs are on their way.
    pub kept: Vec<String>,
    /// The row that tells it elsewhere, where it is a step forward. The first such row of a stage stands.
    pub mirror: Option<Box<NewRow>>,
}

impl Mark {
    /// The mark of a stage of the operator's list; none where the list has no such stage.
    ///
    /// ```
    /// use onceward::store::work::Mark;
    /// let stages = ["received", "matched", "owned"].map(str::to_owned);
    /// assert_eq!(Mark::of(&stages, "matched").map(|mark| mark.kept.len()), Some(2));
    /// assert_eq!(Mark::of(&stages, "lost"), None);
    /// ```
    #[must_use]
    pub fn of(stages: &[String], stage: &str) -> Option<Self> {
        let at = stages.iter().position(|known| known == stage)?;
        Some(Self { stage: stage.to_owned(), kept: stages[at..].to_vec(), mirror: None })
    }
}

/// How many works may follow one another from one event: far more than any handoff has, and an end for a chain that
/// never comes to one.
pub const CHAIN_DEPTH_MAX: u32 = 64;

/// The next step's work in a flow.
#[derive(Clone, Debug)]
pub struct FollowUp {
    /// Its id, from the root key and the step.
    pub work_id: WorkId,
    /// Its readable key.
    pub readable_key: String,
    /// Its step.
    pub step: String,
    /// Its contract version.
    pub version: u32,
    /// JSON text.
    pub payload: String,
    /// The hash of its declared content.
    pub content_hash: ContentHash,
    /// How long it is remembered: its step's window.
    pub window: Window,
}

/// What became of a settlement.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Settled {
    /// It is durable. An outside caller that settles a second time in the same words is told so too.
    Applied,
    /// A row exists with another payload; the work is dead with this cause, and nothing collected was committed.
    RowConflict {
        /// The cause, with the row's id.
        cause: String,
    },
    /// A person has cancelled the work meanwhile: it is cancelled, and nothing collected was committed.
    Cancelled {
        /// Who, and why.
        cause: String,
    },
    /// The claim is no longer the caller's. Nothing changed.
    LeaseLost,
}

/// Which works to list.
#[derive(Clone, Debug)]
pub struct WorkFilter {
    /// The namespace.
    pub namespace: String,
    /// Only this state.
    pub state: Option<WorkState>,
    /// Only this step.
    pub step: Option<String>,
    /// Only those that were recorded before this one. None at all, where there is no such work.
    pub before: Option<WorkId>,
    /// At most so many.
    pub limit: u32,
}

impl WorkFilter {
    /// The newest works of a namespace, whatever they are.
    #[must_use]
    pub fn all(namespace: impl Into<String>, limit: u32) -> Self {
        Self { namespace: namespace.into(), state: None, step: None, before: None, limit }
    }
}

/// How many works are in each state.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct WorkCounts {
    /// State and count, for states that have any.
    pub by_state: std::collections::BTreeMap<WorkState, u64>,
}

impl WorkCounts {
    /// How many are in this state.
    #[must_use]
    pub fn of(&self, state: WorkState) -> u64 {
        self.by_state.get(&state).copied().unwrap_or(0)
    }
}
