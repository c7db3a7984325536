//! How each statement finds its rows. None may read all of a table that grows with the ledger: a look, or an act, would cost more
//! each day. Those that do so on purpose are named here, with the reason. It refuses names that need not be there.

use crate::store::sqlite::migrate::SCHEMA;
use rusqlite::Connection;
use rusqlite::types::Value;
use std::collections::BTreeMap;
use std::path::Path;

/// Tables that grow with the ledger.
const LARGE: [&str; 11] = [
    "work",
    "event_raw",
    "decision",
    "decision_pin",
    "decision_former",
    "intent",
    "outbox",
    "item",
    "progress",
    "evidence",
    "action",
];

/// Indexes of what is open, which is little however much has ended.
const OPEN: [&str; 8] = [
    "work_waiting",
    "work_running",
    "work_called",
    "work_open",
    "outbox_sending",
    "outbox_open",
    "outbox_expiring",
    "decision_pin_waiting",
];

/// Statements that read all of a large table, or as much of it as they need.
const ON_PURPOSE: [(&str, &str); 13] = [
    ("work_list", "the newest first, and no more than a page"),
    ("work_list_done", "the newest first, and no more than a page: nearly all are done"),
    ("outbox_list", "the newest first, and no more than a page"),
    ("outbox_list_sent", "the newest first, and no more than a page: nearly all are sent"),
    ("decision_list", "the newest first, and no more than a page"),
    ("work_resolve_key", "a person has typed a whole readable key; recording work does not pay for that"),
    ("progress_counts", "how many handoffs stand where, for whoever asks how far they are"),
    ("family_kept", "how many wait to be forgotten, for whoever asks about retention"),
    ("state_miscounted", "once, when a copy is put back"),
    ("work_restored", "once, when a ledger was put back"),
    ("work_restored_evidence", "once, when a ledger was put back"),
    ("outbox_restored", "once, when a ledger was put back"),
    ("outbox_restored_evidence", "once, when a ledger was put back"),
];

/// The table or view of each name that a statement gives one.
fn names(sql: &str) -> BTreeMap<&str, &str> {
    let words: Vec<&str> = sql.split(|c: char| !(c.is_alphanumeric() || c == '_')).collect();
    let named = words.windows(2).filter(|pair| LARGE.contains(&pair[0]) && pair[1].len() <= 4);
    let mut names: BTreeMap<_, _> = named.map(|pair| (pair[1], pair[0])).collect();
    names.extend(LARGE.map(|table| (table, table)));
    // The rows as they are shown come from the view's own names.
    names.extend(
        sql.contains("outbox_shown").then_some([("o", "outbox"), ("h", "outbox")]).into_iter().flatten(),
    );
    names
}

/// Whether a line of a plan reads all that a large table has of a namespace, or of all of them.
fn reads_all(line: &str, names: &BTreeMap<&str, &str>) -> bool {
    let mut words = line.split([' ', '=']);
    let (how, name) = (words.next().unwrap_or_default(), words.next().unwrap_or_default());
    if !names.contains_key(name) || OPEN.iter().any(|index| line.contains(&format!("INDEX {index}"))) {
        return false;
    }
    let part = ["(namespace=?)", "(rowid<?)", "(rowid>?)"].iter().any(|part| line.contains(part));
    how == "SCAN" || how == "SEARCH" && part
}

/// The lines of a statement's plan that read all of a large table.
fn faults(connection: &Connection, sql: &str) -> Vec<String> {
    let names = names(sql);
    let mut plan = connection.prepare(&format!("EXPLAIN QUERY PLAN {sql}")).unwrap();
    let none = vec![Value::Null; plan.parameter_count()];
    let lines = plan.query_map(rusqlite::params_from_iter(none), |row| row.get("detail")).unwrap();
    let lines: Vec<String> = lines.collect::<rusqlite::Result<_>>().unwrap();
    lines.into_iter().filter(|line| reads_all(line, &names)).collect()
}

fn ledger() -> Connection {
    let connection = Connection::open_in_memory().unwrap();
    connection.execute_batch(SCHEMA).unwrap();
    connection
}

#[test]
fn no_statement_reads_all_of_a_large_table() {
    let connection = ledger();
    // Tables that only simulated ledgers have.
    connection.execute_batch(include_str!("queries/state_watch.sql")).unwrap();
    let mut reasons: BTreeMap<&str, &str> = ON_PURPOSE.into();
    let queries = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/store/sqlite/queries");
    let mut looked_at = 0;
    for file in std::fs::read_dir(queries).unwrap() {
        let path = file.unwrap().path();
        let name = path.file_stem().unwrap().to_str().unwrap();
        if name == "state_watch" {
            continue;
        }
        let faults = faults(&connection, &std::fs::read_to_string(&path).unwrap());
        let reason = reasons.remove(name);
        assert_eq!(faults.is_empty(), reason.is_none(), "{name}: {faults:#?}, and the reason is {reason:?}");
        looked_at += 1;
    }
    assert!(looked_at > 150 && reasons.is_empty(), "{looked_at} statements, and none of {reasons:?}");
}

#[test]
fn what_reads_all_of_a_large_table_is_seen() {
    for sql in [
        "SELECT count(*) FROM work",
        "SELECT sum(attempt) FROM outbox WHERE namespace = ?1",
        "SELECT 1 FROM work w JOIN decision_pin p ON +p.work_seq = +w.seq WHERE w.namespace = ?1 AND w.work_id = ?2",
        "SELECT * FROM outbox_shown WHERE +namespace = ?1 ORDER BY seq DESC",
        "DELETE FROM evidence WHERE +work_seq = ?1",
    ] {
        assert_ne!(faults(&ledger(), sql), Vec::<String>::new(), "{sql}");
    }
}

/// Figures of some indexes alone would make the planner shun those without.
#[test]
fn there_are_figures_of_every_whole_index_of_a_large_table_and_of_no_other() {
    let wrong = "
        SELECT 'without figures: ' || i.name FROM sqlite_schema i
        WHERE i.type = 'index' AND i.sql NOT LIKE '% WHERE %' AND instr(?1, ',' || i.tbl_name || ',')
          AND i.name NOT IN (SELECT idx FROM sqlite_stat1)
        UNION ALL
        SELECT 'figures of nothing: ' || f.idx FROM sqlite_stat1 f
        WHERE NOT EXISTS (SELECT 1 FROM sqlite_schema i WHERE i.name = f.idx AND i.tbl_name = f.tbl)";
    let ledger = ledger();
    let mut wrong = ledger.prepare(wrong).unwrap();
    let large = format!(",{},", LARGE.join(","));
    let wrong = wrong.query_map([large], |row| row.get(0)).unwrap();
    assert_eq!(wrong.collect::<rusqlite::Result<Vec<String>>>().unwrap(), Vec::<String>::new());
}
