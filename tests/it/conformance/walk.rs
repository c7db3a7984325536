//! Rows at random: whatever happens to them, in whatever order, every line keeps its order, nobody is told the same twice,
//! and all of them come to their end.

use crate::conformance::harness::{
    Bench, LEASE_MS, SAME_TEXT_MS, SPACE, actor, again, blocked, edited, in_doubt, in_line, needs_approval,
    row_id, same_text, saying, sent, take,
};
use onceward::clock::Clock as _;
use onceward::identity::key::RowId;
use onceward::store::approval::{Edit, Edited};
use onceward::store::operate::RowDecision;
use onceward::store::outbox::{OutboxRow, RowRef, RowSettled, RowState, Sending, Take};
use std::collections::BTreeMap;
use support::sim_clock::SimClock;

/// How many random histories are walked through, and how many steps each has.
const WALKS: u64 = 5;
const STEPS: u64 = 100;

/// A row as the walk knows it.
#[derive(Clone, Debug)]
struct Known {
    /// Its place: that of the row it is a revision of, else its turn.
    place: usize,
    text: Option<String>,
    taken: bool,
    sent_ms: Option<i64>,
}

struct Walk {
    bench: Bench,
    chance: SimClock,
    now_ms: i64,
    known: BTreeMap<RowId, Known>,
    in_flight: Vec<Sending>,
    told: Vec<String>,
}

fn is_open(row: &OutboxRow) -> bool {
    !row.state.is_settled()
}

impl Walk {
    fn below(&self, bound: usize) -> usize {
        let bound = u64::try_from(bound.saturating_sub(1)).expect("a small number");
        usize::try_from(self.chance.random_up_to(bound)).expect("a small number")
    }

    fn tell(&mut self, what: String) {
        self.told.push(what);
    }

    /// One thing that can happen to an outbox.
    async fn step(&mut self) {
        match self.below(13) {
            0..=2 => self.enqueue().await,
            3..=4 => self.take_some().await,
            5..=7 => self.end_one().await,
            8..=9 => self.decide().await,
            10 => self.approve_or_edit().await,
            11 => self.pass(i64::try_from(self.below(3)).expect("small") * LEASE_MS / 2),
            _ => self.crash().await,
        }
    }

    async fn enqueue(&mut self) {
        let place = self.known.len();
        let name = format!("{place}");
        let mut row = in_line(&name, ["k1", "k2", "k3"][self.below(3)]);
        let text = (self.below(2) == 0).then(|| format!("text {}", self.below(2)));
        if let Some(text) = &text {
            row = saying(text, row);
        }
        if self.below(4) == 0 {
            row = needs_approval(row);
        }
        self.tell(format!("enqueue {name} {:?} {text:?} {}", row.ordering_key, row.approval.is_some()));
        self.known.insert(row.id, Known { place, text, taken: false, sent_ms: None });
        self.bench.enqueue(vec![row]).await;
    }

    async fn take_some(&mut self) {
        let limit = u32::try_from(1 + self.below(3)).expect("small");
        let before = self.bench.rows().await;
        for sending in self.bench.take_rows(Take { limit, ..take() }).await {
            self.tell(format!("take {}", sending.row.id));
            let row = before.iter().find(|row| row.row_id == sending.row.id).expect("it was there");
            let known = self.known.get_mut(&sending.row.id).expect("it was enqueued");
            if !known.taken {
                let place = known.place;
                known.taken = true;
                let ahead = before.iter().find(|other| {
                    other.ordering_key == row.ordering_key
                        && is_open(other)
                        && self.known[&other.row_id].place < place
                });
                assert!(ahead.is_none(), "{ahead:?} was passed: {:#?}", self.told);
            }
            self.in_flight.push(sending);
        }
    }

    async fn end_one(&mut self) {
        if self.in_flight.is_empty() {
            return;
        }
        let sending = self.in_flight.swap_remove(self.below(self.in_flight.len()));
        let due_in_ms = i64::try_from(self.below(2)).expect("small") * LEASE_MS;
        let (name, outcome) = match self.below(6) {
            0..=2 => ("sent", sent()),
            3 => ("again", again(due_in_ms, self.below(2) == 0)),
            4 => ("blocked", blocked()),
            _ => ("in doubt", in_doubt()),
        };
        let settled = self.bench.settle_row(&sending, outcome).await;
        self.tell(format!("{name} {} {settled:?}", sending.row.id));
        if name == "sent" && settled == RowSettled::Applied {
            self.known.get_mut(&sending.row.id).expect("known").sent_ms = Some(self.now_ms);
        }
    }

    async fn decide(&mut self) {
        let rows = self.bench.rows().await;
        let row = RowRef { namespace: SPACE.to_owned(), id: rows[self.below(rows.len().max(1))].row_id };
        let decision = match self.below(3) {
            0 => RowDecision::Sent { external_reference: None },
            1 => RowDecision::Again { due_in_ms: 0 },
            _ => RowDecision::Cancel,
        };
        let decided = self.bench.store.outbox_decide(row.clone(), decision.clone(), actor()).await;
        let decided = decided.expect("the store works");
        self.tell(format!("decide {decision:?} {} {decided:?}", row.id));
        if matches!(decision, RowDecision::Sent { .. })
            && decided == onceward::store::operate::Decided::Applied
        {
            self.known.get_mut(&row.id).expect("known").sent_ms = Some(self.now_ms);
        }
    }

    async fn approve_or_edit(&mut self) {
        let mut held = self.bench.rows().await;
        held.retain(|row| row.state == RowState::Held);
        if held.is_empty() {
            return;
        }
        let id = held[self.below(held.len())].row_id;
        if self.below(2) == 0 {
            let approved = self.bench.approve(id).await;
            return self.tell(format!("approve {id} {approved:?}"));
        }
        let text = format!("text {}", self.below(2));
        let edit = Edit { same: Some(same_text(&text)), ..edited(&format!("{{\"v\":{}}}", self.told.len())) };
        let Edited::Applied { row, state, .. } = self.bench.edit(id, edit).await else {
            panic!("a held row can be edited: {:#?}", self.told)
        };
        self.tell(format!("edit {id} to {row} {text:?} {state:?}"));
        let place = self.known[&id].place;
        self.known.insert(row, Known { place, text: Some(text), taken: false, sent_ms: None });
    }

    fn pass(&mut self, by_ms: i64) {
        self.tell(format!("{by_ms} ms pass"));
        self.bench.advance(by_ms);
        self.now_ms += by_ms;
    }

    /// The host dies with what it has under way, whose words nobody hears; or they come too late.
    async fn crash(&mut self) {
        self.tell("crash".to_owned());
        if self.below(2) == 0 {
            self.in_flight.clear();
        }
        self.pass(LEASE_MS);
    }

    /// What holds at every moment.
    async fn check(&self) {
        let rows = self.bench.rows().await;
        for key in ["k1", "k2", "k3"] {
            let line: Vec<_> =
                rows.iter().filter(|row| row.ordering_key.as_deref() == Some(key) && is_open(row)).collect();
            let heads: Vec<_> = line.iter().filter(|row| row.behind.is_none()).collect();
            assert_eq!(heads.len(), usize::from(!line.is_empty()), "{line:#?} {:#?}", self.told);
            for row in line.iter().filter(|row| row.behind.is_some()) {
                assert_eq!(row.behind, Some(heads[0].row_id), "{:#?}", self.told);
                assert_ne!(row.state, RowState::Sending, "two are under way: {:#?}", self.told);
            }
        }
        let mut said: BTreeMap<&str, Vec<i64>> = BTreeMap::new();
        for known in self.known.values() {
            if let (Some(text), Some(sent_ms)) = (&known.text, known.sent_ms) {
                said.entry(text).or_default().push(sent_ms);
            }
        }
        for (text, times) in &mut said {
            times.sort_unstable();
            let apart = times.windows(2).map(|two| two[1] - two[0]).min().unwrap_or(i64::MAX);
            assert!(apart >= SAME_TEXT_MS, "{text:?} was said twice: {:#?}", self.told);
        }
    }

    /// People decide about all that waits for them, and the destination accepts everything.
    async fn drain(&mut self) {
        self.in_flight.clear();
        loop {
            self.pass(2 * LEASE_MS);
            let rows = self.bench.rows().await;
            let open: Vec<_> = rows.into_iter().filter(is_open).collect();
            if open.is_empty() {
                return;
            }
            for row in &open {
                match row.state {
                    RowState::Held => drop(self.bench.approve(row.row_id).await),
                    RowState::Blocked | RowState::InDoubt => {
                        let id = RowRef { namespace: SPACE.to_owned(), id: row.row_id };
                        let decided = self
                            .bench
                            .store
                            .outbox_decide(id, RowDecision::Again { due_in_ms: 0 }, actor())
                            .await;
                        decided.expect("the store works");
                    }
                    _ => {}
                }
            }
            let before = self.told.len();
            self.take_some().await;
            let progressed =
                self.told.len() > before || open.iter().any(|row| row.state != RowState::Pending);
            assert!(progressed, "these never move: {open:#?} {:#?}", self.told);
            while let Some(sending) = self.in_flight.pop() {
                assert_eq!(self.bench.settle_row(&sending, sent()).await, RowSettled::Applied);
                self.known.get_mut(&sending.row.id).expect("known").sent_ms = Some(self.now_ms);
            }
            self.check().await;
        }
    }
}

pub(super) async fn outbox_take_s09_at_random_keeps_every_line_in_order_and_lets_all_come_to_their_end(
    bench: Bench,
) {
    let mut walk = Walk {
        bench,
        chance: SimClock::default(),
        now_ms: 0,
        known: BTreeMap::new(),
        in_flight: Vec::new(),
        told: Vec::new(),
    };
    for _ in 0..WALKS {
        walk.enqueue().await;
        for _ in 0..STEPS {
            walk.step().await;
            walk.check().await;
        }
        walk.drain().await;
    }
    let known = row_id("0");
    assert!(walk.known.len() > 100 && walk.known.contains_key(&known), "it was a walk");
}
