//! Steps that only read: retried within their budget, and nothing of their runs is kept.
//!
//! There is no claim and no settle, since there is nothing to protect: the step may run at any time and any number of
//! times. So a retry waits here, and ends with the caller's process. A pause holds as for every step.

use crate::contract::capability::Mode;
use crate::contract::fence::Token;
use crate::dispatch::setup::StepSetup;
use crate::dispatch::step::{DispatchError, Dispatcher};
use crate::identity::event::Event;
use crate::identity::key::RootKey;
use crate::identity::readable_key::named;
use crate::identity::work_id::read_id;
use crate::runtime::job::Job;
use crate::runtime::run::Ended;
use crate::runtime::stop::Stop;
use crate::store::durable::Durable;
use crate::store::pause::PauseScope;
use crate::store::work::{Holder, WorkRecord, WorkState};
use std::collections::BTreeMap;
use std::future::pending;
use std::sync::Arc;
use std::time::Duration;

/// What a read came to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Read {
    /// Runs that were made.
    pub attempts: u32,
    /// The end of the last one.
    pub end: ReadEnd,
}

/// How a read ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ReadEnd {
    /// It has its result.
    Done {
        /// JSON text.
        output: String,
        /// Why a person is asked to look.
        needs_review: Option<String>,
    },
    /// The step asks for a person. Nobody is told but the caller.
    Review(String),
    /// The step says it can never succeed.
    Rejected(String),
    /// The budget is used up; the last cause.
    Failed(String),
    /// The step is stopped; why.
    Paused(String),
}

/// One run's end, before the budget has been asked.
enum Once {
    Ended(ReadEnd),
    Again { cause: String, asked_ms: Option<u64> },
}

impl Dispatcher {
    /// Run a step that only reads, again within its budget where it fails. Nothing is recorded.
    ///
    /// # Errors
    /// [`DispatchError`], where there is no such step, its runs are recorded, too many wait for a place, or the store fails.
    pub async fn read(&self, step: &str, event: &Event) -> Result<Read, DispatchError> {
        let setup = self.setup(step)?;
        if setup.contract().mode == Mode::Recorded {
            return Err(DispatchError::Recorded { step: step.to_owned() });
        }
        let begun_ms = self.clock.now_ms();
        let mut attempt = 1;
        loop {
            if let Some(cause) = self.paused(step).await? {
                return Ok(Read { attempts: attempt - 1, end: ReadEnd::Paused(cause) });
            }
            let (cause, asked_ms) = match self.once(setup, event, begun_ms, attempt).await? {
                Once::Ended(end) => return Ok(Read { attempts: attempt, end }),
                Once::Again { cause, asked_ms } => (cause, asked_ms),
            };
            let age_ms = self.clock.now_ms().saturating_sub(begun_ms);
            if let Some(exhausted) = setup.retry.exhausted(attempt, age_ms) {
                let end = ReadEnd::Failed(format!("{exhausted}: {cause}"));
                return Ok(Read { attempts: attempt, end });
            }
            let delay_ms = setup.retry.delay_ms(&*self.clock, attempt, asked_ms);
            tracing::info!("the step {step:?} runs again in {delay_ms} ms: {cause}");
            tokio::time::sleep(Duration::from_millis(u64::try_from(delay_ms).unwrap_or(0))).await;
            attempt += 1;
        }
    }

    async fn paused(&self, step: &str) -> Result<Option<String>, DispatchError> {
        let pauses = self.store().pause_list(self.namespace()).await?;
        let stops = |scope: &PauseScope| match scope {
            PauseScope::Step(name) => name == step,
            PauseScope::Namespace | PauseScope::Everything => true,
            PauseScope::Destination(_) => false,
        };
        Ok(pauses.into_iter().find(|pause| stops(&pause.scope)).map(|pause| pause.cause))
    }

    async fn once(
        &self,
        setup: &Arc<StepSetup>,
        event: &Event,
        begun_ms: i64,
        attempt: u32,
    ) -> Result<Once, DispatchError> {
        let job = Job {
            work: Arc::new(record(self.namespace(), setup, event, begun_ms, attempt)),
            token: Token::from_number(0),
            new: false,
            durable: Durable::already(),
            mode: Mode::ReadOnly,
            grants: Arc::clone(&setup.grants),
            // It decides nothing that could be held.
            holds: Arc::default(),
            stages: Arc::from([]),
            receipt_steps: Arc::new(BTreeMap::new()),
        };
        let room = self.runtime.spot().ok_or_else(|| self.busy(&setup.contract().name))?;
        let place = room.place().await;
        let limits = Arc::clone(&setup.limits);
        let run = self.runtime.run_in(place, &setup.plugin, Arc::new(job), limits, pending()).await;
        for note in &run.notes {
            tracing::info!("{note}");
        }
        Ok(match run.ended {
            Ended::Finished { output, needs_review } => Once::Ended(ReadEnd::Done { output, needs_review }),
            Ended::Review(cause) => Once::Ended(ReadEnd::Review(cause)),
            Ended::Reject(cause) => Once::Ended(ReadEnd::Rejected(cause)),
            Ended::Continue { .. } => Once::Ended(ReadEnd::Rejected(
                "the step continues from a cursor, which nobody keeps for a read-only step".to_owned(),
            )),
            Ended::Retry { reason, after_ms } => Once::Again { cause: reason, asked_ms: after_ms },
            Ended::Stopped(Stop::Store(error)) => return Err(error.into()),
            Ended::Stopped(stop) => Once::Again { cause: stop.to_string(), asked_ms: None },
        })
    }
}

/// The event as the step sees it. It stands nowhere.
fn record(namespace: &str, setup: &StepSetup, event: &Event, begun_ms: i64, attempt: u32) -> WorkRecord {
    let contract = setup.contract();
    let (step, version) = (&contract.name, contract.version);
    let id = read_id(namespace, step, version, event);
    WorkRecord {
        namespace: namespace.to_owned(),
        work_id: id,
        root_key: RootKey::from_bytes(*id.as_bytes()),
        root_version: version,
        readable_key: named(step, version, &event.source, event.id.as_deref()),
        step: step.clone(),
        version,
        holder: Holder::Host,
        source: event.source.clone(),
        event_id: event.id.clone(),
        occurred_at_ms: event.occurred_at_ms.unwrap_or(begun_ms),
        payload: event.data_text.clone(),
        state: WorkState::Running,
        attempt,
        budget_from_ms: Some(begun_ms),
        chunk: 0,
        duplicates: 0,
        due_ms: None,
        lease_until_ms: None,
        cursor: None,
        output: None,
        needs_review: None,
        cause: None,
        chain_depth: 0,
        erased_ms: None,
        created_ms: begun_ms,
        updated_ms: begun_ms,
    }
}
