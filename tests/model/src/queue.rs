//! How a worker finds rows: by their state, or by a mark that only moves up.
//!
//! Two transactions draw their ids in one order and commit in another, as they may on a server with several writers. A
//! reader that goes on from the highest id it has seen never finds the one that commits late.

use stateright::{Model, Property};

/// How the reader finds what is new.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Reader {
    /// By state: whatever is committed and not yet taken.
    ByState,
    /// By a high-water mark: whatever has a higher id than all that was read before.
    ByMark,
}

/// Every committed row is read, or the reader's next looks will find it.
pub const NOTHING_LOST: &str = "a committed row is read, or will be found";
/// The walk gets to its end.
pub const ALL_READ: &str = "all rows are read";

/// Transactions at once.
const WRITERS: usize = 2;

/// The writers and a reader of one table.
#[derive(Clone, Debug)]
pub struct Queue {
    /// How it reads.
    pub reader: Reader,
}

/// One transaction that inserts a row.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Row {
    /// Its transaction has not begun.
    #[default]
    None,
    /// It has an id, which nobody else sees yet.
    Open(u64),
    /// It is there for everybody.
    Committed(u64),
    /// The reader has taken it.
    Read(u64),
}

/// The table, and the reader's mark.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Table {
    rows: [Row; WRITERS],
    latest_id: u64,
    mark: u64,
}

/// What can happen next.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Act {
    /// A transaction inserts its row, which draws an id.
    Insert(usize),
    /// A transaction commits.
    Commit(usize),
    /// The reader looks, and takes all that it finds.
    Look,
}

impl Queue {
    fn finds(&self, table: &Table, id: u64) -> bool {
        match self.reader {
            Reader::ByState => true,
            Reader::ByMark => id > table.mark,
        }
    }

    fn look(&self, table: &Table) -> Table {
        let mut after = table.clone();
        for row in &mut after.rows {
            if let Row::Committed(id) = *row
                && self.finds(table, id)
            {
                *row = Row::Read(id);
                after.mark = after.mark.max(id);
            }
        }
        after
    }
}

impl Model for Queue {
    type State = Table;
    type Action = Act;

    fn init_states(&self) -> Vec<Table> {
        vec![Table::default()]
    }

    fn actions(&self, _: &Table, actions: &mut Vec<Act>) {
        actions.push(Act::Look);
        actions.extend((0..WRITERS).flat_map(|writer| [Act::Insert(writer), Act::Commit(writer)]));
    }

    fn next_state(&self, table: &Table, act: Act) -> Option<Table> {
        let mut after = table.clone();
        match act {
            Act::Look => return Some(self.look(table)),
            Act::Insert(writer) if table.rows[writer] == Row::None => {
                after.latest_id += 1;
                after.rows[writer] = Row::Open(after.latest_id);
            }
            Act::Commit(writer) => {
                let Row::Open(id) = table.rows[writer] else { return None };
                after.rows[writer] = Row::Committed(id);
            }
            Act::Insert(_) => return None,
        }
        Some(after)
    }

    fn properties(&self) -> Vec<Property<Self>> {
        vec![
            Property::always(NOTHING_LOST, |model: &Self, table: &Table| {
                let found = |row: &Row| !matches!(row, Row::Committed(id) if !model.finds(table, *id));
                table.rows.iter().all(found)
            }),
            Property::sometimes(ALL_READ, |_, table: &Table| {
                table.rows.iter().all(|row| matches!(row, Row::Read(_)))
            }),
        ]
    }
}

#[cfg(test)]
mod tests {
    use super::{Act, NOTHING_LOST, Queue, Reader};
    use stateright::{Checker, Model};

    #[test]
    fn s16_a_reader_by_state_finds_what_commits_late() {
        Queue { reader: Reader::ByState }.checker().spawn_bfs().join().assert_properties();
    }

    #[test]
    fn s16_a_reader_by_a_mark_loses_what_commits_late() {
        let checker = Queue { reader: Reader::ByMark }.checker().spawn_bfs().join();
        let actions = checker.assert_any_discovery(NOTHING_LOST).into_actions();
        let at = |wanted: fn(&Act) -> bool| actions.iter().position(wanted);
        let (looked, committed) =
            (at(|act| *act == Act::Look), actions.iter().rposition(|act| matches!(act, Act::Commit(_))));
        assert!(looked < committed, "the lost row commits after the look: {actions:?}");
    }
}
