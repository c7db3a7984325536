//! What must hold in the end: what was sent, what the ledger has, and what the receiver has must add up.
//!
//! Owns the comparison alone, and so can be shown to fail. Events are compared by their own name, which is what the business
//! means by "twice", whatever keys the rows had.

use crate::tier_config::TIERS;
use crate::torture::senders::Sent;
use onceward::contract::tier::Tier;
use serde::Serialize;
use std::collections::{BTreeMap, BTreeSet};

/// The tier that can't tell, and whose rows may end in doubt.
const BLIND: &str = Tier::Blind.word();

/// A work of the ledger.
#[derive(Clone, Debug)]
pub(super) struct WorkEnd {
    pub(super) event: String,
    pub(super) state: String,
}

/// A row of the ledger.
#[derive(Clone, Debug)]
pub(super) struct RowEnd {
    pub(super) event: String,
    pub(super) tier: String,
    pub(super) state: String,
}

/// Something that the receiver has written.
#[derive(Clone, Debug)]
pub(super) struct Effect {
    pub(super) event: String,
    pub(super) tier: String,
    pub(super) key: Option<String>,
}

/// What there is in the end.
pub(super) struct Books<'a> {
    pub(super) sent: &'a Sent,
    pub(super) works: Vec<WorkEnd>,
    pub(super) rows: Vec<RowEnd>,
    pub(super) effects: Vec<Effect>,
}

/// How much there is at a tier.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct TierCount {
    /// Rows that are sent.
    pub sent: usize,
    /// Rows that are listed in doubt.
    pub in_doubt: usize,
    /// What the receiver has written.
    pub effects: usize,
}

/// How much there is.
pub(super) struct Counts {
    pub(super) works: usize,
    pub(super) tiers: BTreeMap<&'static str, TierCount>,
}

impl Books<'_> {
    pub(super) fn count(&self) -> Counts {
        let of = |tier: &str| {
            let rows = |state: &str| self.rows.iter().filter(|r| r.tier == tier && r.state == state).count();
            let effects = self.effects.iter().filter(|effect| effect.tier == tier).count();
            TierCount { sent: rows("sent"), in_doubt: rows("in-doubt"), effects }
        };
        Counts { works: self.works.len(), tiers: TIERS.map(|tier| (tier.word(), of(tier.word()))).into() }
    }

    /// Everything that does not add up, each with the event that it is about.
    pub(super) fn offences(&self) -> Vec<String> {
        let mut found = self.sent.unexpected.clone();
        found.extend(self.of_events());
        let states = grouped(self.rows.iter().map(|row| ((&*row.event, &*row.tier), &*row.state)));
        let effects = grouped(self.effects.iter().map(|e| ((&*e.event, &*e.tier), e.key.as_deref())));
        let done: BTreeSet<&str> = self.works.iter().map(|work| &*work.event).collect();
        let wanted = done.into_iter().flat_map(|event| TIERS.map(|tier| (event, tier.word())));
        let all: BTreeSet<(&str, &str)> =
            wanted.chain(states.keys().chain(effects.keys()).copied()).collect();
        for at in all {
            let (states, effects) = (
                states.get(&at).map_or(&[][..], Vec::as_slice),
                effects.get(&at).map_or(&[][..], Vec::as_slice),
            );
            found.extend(of_effect(at, states, effects));
        }
        found
    }

    fn of_events(&self) -> Vec<String> {
        let mut found = Vec::new();
        let works = grouped(self.works.iter().map(|work| (&*work.event, &*work.state)));
        for (event, answers) in &self.sent.events {
            let number = works.get(event.as_str()).map_or(0, Vec::len);
            if answers.acknowledged() && number == 0 {
                found.push(format!("{event} was acknowledged, and is lost"));
            }
            if answers.accepted > 1 {
                found.push(format!("{event} was accepted as new {} times", answers.accepted));
            }
        }
        for (event, states) in works {
            if states.len() > 1 {
                found.push(format!("{event} is {} works", states.len()));
            }
            if !self.sent.events.contains_key(event) {
                found.push(format!("{event} is a work, and nobody sent it"));
            }
            for state in states.into_iter().filter(|state| *state != "done") {
                found.push(format!("the work of {event} is {state}"));
            }
        }
        found
    }
}

/// One event has one row at each tier, and the receiver what the row says.
fn of_effect((event, tier): (&str, &str), states: &[&str], effects: &[Option<&str>]) -> Option<String> {
    let holds = match (states, effects.len()) {
        (["sent"], 1) => true,
        (["in-doubt"], 0 | 1) => tier == BLIND,
        _ => false,
    };
    (!holds).then(|| {
        let keys: Vec<&str> = effects.iter().map(|key| key.unwrap_or("no key")).collect();
        format!("{event} at the tier {tier}: its rows are {states:?}, and the receiver has {keys:?}")
    })
}

fn grouped<K: Ord, V>(pairs: impl Iterator<Item = (K, V)>) -> BTreeMap<K, Vec<V>> {
    let mut groups = BTreeMap::<K, Vec<V>>::new();
    for (key, value) in pairs {
        groups.entry(key).or_default().push(value);
    }
    groups
}

#[cfg(test)]
mod tests {
    use super::{BLIND, Books, Effect, RowEnd, Sent, TIERS, WorkEnd};
    use crate::torture::senders::Answers;

    /// One event that went through, with every tier's row sent; `spoil` makes something of it.
    fn check(spoil: impl FnOnce(&mut Sent, &mut Books<'_>), offence: Option<&str>) {
        let a = || "a".to_owned();
        let mut sent = Sent::default();
        sent.events.insert(a(), Answers { accepted: 1, duplicate: 2, lost: 1 });
        let none = Sent::default();
        let mut books = Books {
            sent: &none,
            works: vec![WorkEnd { event: a(), state: "done".to_owned() }],
            rows: TIERS
                .map(|t| RowEnd { event: a(), tier: t.word().to_owned(), state: "sent".to_owned() })
                .into(),
            effects: TIERS.map(|t| Effect { event: a(), tier: t.word().to_owned(), key: None }).into(),
        };
        spoil(&mut sent, &mut books);
        let Books { works, rows, effects, .. } = books;
        let told = Books { sent: &sent, works, rows, effects }.offences();
        match offence {
            None => assert_eq!(told, [""; 0]),
            Some(words) => assert!(told.iter().any(|said| said.contains(words)), "{words}: {told:?}"),
        }
    }

    #[test]
    fn what_adds_up_is_no_offence() {
        check(|_, _| {}, None);
        let unanswered = Answers { lost: 3, ..Answers::default() };
        check(|sent, _| sent.events.extend([("b".to_owned(), unanswered)]), None);
        let doubt = |books: &mut Books<'_>| {
            let row = books.rows.iter_mut().find(|row| row.tier == BLIND).expect("a row");
            row.state = "in-doubt".to_owned();
        };
        check(|_, books| doubt(books), None);
        check(
            |_, books| {
                doubt(books);
                books.effects.retain(|effect| effect.tier != BLIND);
            },
            None,
        );
    }

    #[test]
    fn what_does_not_add_up_is_told_with_its_event() {
        check(|_, books| books.works.clear(), Some("a was acknowledged, and is lost"));
        check(|_, books| books.works.push(books.works[0].clone()), Some("a is 2 works"));
        check(|_, books| books.works[0].state = "running".to_owned(), Some("the work of a is running"));
        check(|_, books| books.works[0].event = "z".to_owned(), Some("nobody sent it"));
        check(|_, books| drop(books.rows.remove(0)), Some("a at the tier key: its rows are []"));
        check(|_, books| books.rows[1].state = "in-doubt".to_owned(), Some("a at the tier field"));
        check(|_, books| books.rows[2].state = "pending".to_owned(), Some("[\"pending\"]"));
        check(|_, books| books.effects.push(books.effects[2].clone()), Some("a at the tier lookup"));
        check(|_, books| drop(books.effects.pop()), Some("and the receiver has []"));
        check(|sent, _| sent.unexpected.push("a was answered 500".to_owned()), Some("answered 500"));
        check(
            |sent, _| sent.events.get_mut("a").expect("it was sent").accepted = 2,
            Some("accepted as new 2 times"),
        );
    }
}
