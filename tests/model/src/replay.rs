//! A work's evidence as actions on a state.
//!
//! Owns which actions stand behind a line. The evidence names no hosts, so each claim and each take is a host of its own, and those
//! that lost their leases stay as they were. It holds neither leases nor the tier of a receiver: that a lease had ended is
//! believed, and the tier is told by the caller.

use crate::action::{Action, Ending, NewRow, Outcome};
use crate::protocol;
use crate::refusal::{Refusal, refused};
use crate::rules::{Rules, Tier};
use crate::state::{Host, RowPhase, State, WorkPhase};
use crate::words::{self, How, Line, Settled};

const WITHOUT_SETTLE: &str = "a row was inserted, and no settle that commits rows came with it";

const WITHOUT_REVISION: &str = "an edit inserts the new revision at once, and none came";

/// How far a log was replayed.
pub(crate) struct Replay {
    rules: Rules,
    state: State,
    /// The ids of the state's rows, in their order.
    ids: Vec<String>,
    /// Rows whose settle is still to come: evidence tells them first, in the same transaction.
    inserted: Vec<(String, RowPhase)>,
    /// The row whose new revision is told next.
    edited: Option<usize>,
}

impl Replay {
    pub(crate) fn new(tier: Tier) -> Self {
        let rules = Rules { attempts_max: None, sequence_max: u64::MAX, ..Rules::sound(tier) };
        Self { rules, state: State::default(), ids: Vec::new(), inserted: Vec::new(), edited: None }
    }

    /// What a line says has happened.
    pub(crate) fn take_in(&mut self, kind: &str, detail: &str) -> Result<(), Refusal> {
        let line = words::read(kind, detail).map_err(Refusal)?;
        if self.edited.is_some() && !matches!(line, Line::Enqueued { .. }) {
            return refused(WITHOUT_REVISION);
        }
        let commits = matches!(line, Line::Settled(Settled::Done | Settled::Continue));
        if !self.inserted.is_empty() && !commits && !matches!(line, Line::Enqueued { .. } | Line::Other) {
            return refused(WITHOUT_SETTLE);
        }
        match line {
            Line::Other => Ok(()),
            Line::Recorded(phase) => self.act(Action::Record { phase }),
            Line::Claimed { how, attempt, token } => self.claimed(how, attempt, token),
            Line::Settled(settled) => self.settled(settled),
            Line::Dead => self.lapse().and_then(|()| self.act(Action::Die)),
            Line::Cancelled => self.work_decided(WorkPhase::Running, WorkPhase::Cancelled),
            Line::WorkDecided { from, to } => self.work_decided(from, to),
            Line::Enqueued { row, phase } => self.enqueued(row, phase),
            Line::Sending { row, attempt } => self.sending(&row, attempt),
            Line::Answered { row, outcome } => self.answered(&row, outcome),
            Line::RowDecided { row, to } => {
                let row = self.place(&row)?;
                self.act(Action::DecideRow { row, to })
            }
            Line::Revised { row } => {
                self.edited = Some(self.place(&row)?);
                Ok(())
            }
        }
    }

    /// Nothing more comes.
    pub(crate) fn finish(&self) -> Result<(), Refusal> {
        if self.edited.is_some() {
            return refused(WITHOUT_REVISION);
        }
        if !self.inserted.is_empty() {
            return refused(WITHOUT_SETTLE);
        }
        Ok(())
    }

    fn act(&mut self, action: Action) -> Result<(), Refusal> {
        self.state = protocol::step(&self.rules, &self.state, &action)?;
        Ok(())
    }

    fn phase(&self) -> Option<WorkPhase> {
        self.state.work.as_ref().map(|work| work.phase)
    }

    /// Whoever finds a running work free has seen its lease end.
    fn lapse(&mut self) -> Result<(), Refusal> {
        match &self.state.work {
            Some(work) if work.phase == WorkPhase::Running && !work.lease_ended => {
                self.act(Action::LeaseEnds)
            }
            _ => Ok(()),
        }
    }

    fn claimed(&mut self, how: How, attempt: u64, token: u64) -> Result<(), Refusal> {
        let phase = self.phase();
        let fits = match how {
            How::New => phase.is_none(),
            How::Due => phase == Some(WorkPhase::Waiting),
            How::TakenOver => phase == Some(WorkPhase::Running),
        };
        if !fits {
            return refused(format!("it is claimed as {how:?}, and stands at {phase:?}"));
        }
        self.lapse()?;
        let Some(before) = token.checked_sub(1) else { return refused("no claim has the token 0") };
        self.act(Action::Elsewhere { sequence: before })?;
        let host = self.another_host();
        self.act(Action::Claim { host })?;
        let counted = self.state.work.as_ref().map_or(0, |work| work.attempt);
        if counted != attempt {
            return refused(format!("it is attempt {counted}, and not {attempt}"));
        }
        Ok(())
    }

    fn another_host(&mut self) -> usize {
        self.state.hosts.push(Host::default());
        self.state.hosts.len() - 1
    }

    fn settled(&mut self, settled: Settled) -> Result<(), Refusal> {
        let holder = self.state.work.as_ref().filter(|work| work.phase == WorkPhase::Running);
        let holder =
            holder.and_then(|work| self.state.hosts.iter().position(|host| host.run == Some(work.token)));
        let Some(host) = holder else {
            return refused(format!("no run holds it, since it stands at {:?}", self.phase()));
        };
        let (ids, phases): (Vec<_>, Vec<_>) = std::mem::take(&mut self.inserted).into_iter().unzip();
        let tier = self.rules.tier;
        let rows = || phases.iter().map(|phase| NewRow { phase: *phase, tier }).collect();
        let ending = match settled {
            Settled::Done => Ending::Done(rows()),
            Settled::Continue => Ending::Continue(rows()),
            Settled::Retry => Ending::Retry,
            Settled::GiveBack => Ending::GiveBack,
            Settled::Rest(phase) => Ending::Rest(phase),
        };
        self.act(Action::Settle { host, ending })?;
        self.ids.extend(ids);
        Ok(())
    }

    fn work_decided(&mut self, from: WorkPhase, to: WorkPhase) -> Result<(), Refusal> {
        if self.phase() != Some(from) {
            return refused(format!("it stands at {:?}, and not at {from:?}", self.phase()));
        }
        self.lapse()?;
        self.act(Action::DecideWork { to })
    }

    fn place(&self, id: &str) -> Result<usize, Refusal> {
        let place = self.ids.iter().position(|known| known == id);
        place.ok_or_else(|| Refusal("no settle has inserted this row".to_owned()))
    }

    fn enqueued(&mut self, id: String, phase: RowPhase) -> Result<(), Refusal> {
        let Some(row) = self.edited.take() else {
            self.inserted.push((id, phase));
            return Ok(());
        };
        if phase != RowPhase::Held {
            return refused(format!("a new revision is held, and not {phase:?}"));
        }
        self.ids.push(id);
        self.act(Action::Revise { row })
    }

    fn sending(&mut self, id: &str, attempt: u64) -> Result<(), Refusal> {
        let row = self.place(id)?;
        if self.state.rows[row].phase == RowPhase::Sending && !self.state.rows[row].lease_ended {
            self.act(Action::RowLeaseEnds { row })?;
        }
        let host = self.another_host();
        self.act(Action::TakeRow { host, row })?;
        let counted = self.state.rows[row].attempt;
        if counted != attempt {
            return refused(format!("it is attempt {counted} at the row, and not {attempt}"));
        }
        Ok(())
    }

    fn answered(&mut self, id: &str, outcome: Outcome) -> Result<(), Refusal> {
        let place = self.place(id)?;
        let row = &self.state.rows[place];
        let held = |host: &Host| {
            host.sending.as_ref().is_some_and(|sending| sending.row == place && sending.token == row.token)
        };
        let sender = self.state.hosts.iter().position(held).filter(|_| row.phase == RowPhase::Sending);
        let Some(host) = sender else {
            return refused(format!("no sender holds the row, since it stands at {:?}", row.phase));
        };
        let barred = self.state.hosts[host]
            .sending
            .as_ref()
            .is_some_and(|sending| sending.maybe_applied && !sending.by_word);
        // Both are told as in doubt; only of one was it known before anything was sent.
        let outcome = match outcome {
            Outcome::InDoubt if barred => Outcome::Withheld { in_doubt: true },
            outcome => outcome,
        };
        if outcome == Outcome::Sent {
            self.act(Action::Arrive { host })?;
        }
        self.act(Action::Answer { host, outcome })
    }
}
