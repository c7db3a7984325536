//! What is erased or forgotten is gone from the files, and not only from what is shown.

use crate::conformance::decision;
use crate::conformance::harness::{Bench, SPACE, TERMS, arrival, at, done_with, held, row, take};
use crate::sqlite::backend::SqliteBackend;
use onceward::contract::window::Window;
use onceward::store::claim::{Acquired, Arrival};
use onceward::store::operate::Actor;
use onceward::store::outbox::RowOutcome;
use onceward::store::raw::Raw;
use onceward::store::retention::{Cursor, Erased, Erasure};
use onceward::store::sqlite::SqliteStore;
use onceward::store::work::{Collected, Outcome};
use onceward::store::{Inspect as _, Ledger as _, Retention as _};
use std::path::Path;
use std::sync::Arc;

/// Works whose pages are split, filled and freed, so that copies could be left anywhere.
const WORKS: usize = 400;

/// What one lead says that must go: unlike in any other, and of many lengths, from a part of a page to several pages.
fn planted(n: usize, what: &str) -> String {
    let unit = format!("<{what} of lead {n} in secret>");
    unit.repeat([1, 2, 3, 6, 21, 61][n * n % 97 % 6])
}

/// Claim a lead.
async fn claim(bench: &Bench, n: usize) -> Box<Acquired> {
    let window = if n.is_multiple_of(2) { Window::ForEver } else { Window::Duration(60) };
    let payload = planted(n, "payload");
    let header = ("x-lead".to_owned(), planted(n, "header"));
    let raw = Raw { bytes: planted(n, "event").into_bytes(), content_type: None, headers: vec![header] };
    held(bench.claim(Arrival { payload, raw: Some(raw), window, ..arrival(&n.to_string()) }).await)
}

/// Bring a lead to its end, with something planted in every other place that holds a payload.
async fn finish(bench: &Bench, held: &Acquired, n: usize) {
    decision::record(bench, held, "s", &n.to_string(), &planted(n, "answer")).await;
    let collected = Collected { rows: vec![row(&n.to_string(), &planted(n, "row"))], ..Collected::default() };
    let output = planted(n, "result");
    bench.settle(held, Outcome::Done { output, needs_review: None, follow_up: None, collected }).await;
    for sending in bench.take_rows(take()).await {
        let receipt = planted(n, "receipt");
        let sent = RowOutcome::Sent { receipt, truncated: false, external_reference: None, flag: None };
        bench.store.outbox_settle(sending.row, sending.token, sent).await.expect("the store works");
    }
}

/// The leads of which the ledger's files hold something.
fn found(path: &Path) -> Vec<usize> {
    let bytes: Vec<u8> = ["", "-wal", "-shm"]
        .iter()
        .flat_map(|end| std::fs::read(format!("{}{end}", path.display())).unwrap_or_default())
        .collect();
    let mark = b"of lead ";
    let mut leads: Vec<usize> = Vec::new();
    let mut at = 0;
    while let Some(next) = bytes[at..].windows(mark.len()).position(|window| window == mark) {
        at += next + mark.len();
        let digits: String =
            bytes[at..].iter().map_while(|b| b.is_ascii_digit().then_some(*b as char)).collect();
        // A number that the end of a page has cut is another lead's.
        if bytes[at + digits.len()..].starts_with(b" in") {
            leads.extend(digits.parse::<usize>());
        }
    }
    leads.sort_unstable();
    leads.dedup();
    leads
}

#[tokio::test]
async fn what_is_erased_or_forgotten_is_gone_from_the_files() {
    let backend = Arc::<SqliteBackend>::default();
    let bench = Bench::new(Arc::clone(&backend)).await;
    let mut works = Vec::new();
    for n in 0..WORKS {
        works.push(claim(&bench, n).await);
    }
    // They grow when they end, and push one another from page to page.
    for (n, held) in works.iter().enumerate() {
        finish(&bench, held, n).await;
    }
    assert_eq!(found(&backend.path()), (0..WORKS).collect::<Vec<_>>(), "it is looked for where it is");
    let actor = Actor { name: "Noor".to_owned(), reason: "asked for".to_owned(), action: None };
    let kept: Vec<usize> = (0..WORKS).filter(|n| n % 3 == 0).collect();
    for n in (0..WORKS).filter(|n| n % 3 != 0) {
        let erasure =
            bench.store.payload_erase(at(&works[n].work), actor.clone()).await.expect("the store works");
        let all = Erased { works: 1, rows: 1, answers: 1, events: 0 };
        assert_eq!(erasure, Erasure::Applied(all), "lead {n}");
    }
    assert!(bench.store.payload_scrub().await.expect("the store works"));
    assert_eq!(found(&backend.path()), kept);
    // The others in turn, by retention: their payloads go with them, and the answers when they have aged.
    bench.advance(60_001);
    bench.store.family_expire(SPACE, Cursor::START, 500).await.expect("the store works");
    bench.store.decision_expire(SPACE, 60_000, Cursor::START, 500).await.expect("the store works");
    assert!(bench.store.payload_scrub().await.expect("the store works"));
    let forever: Vec<usize> = kept.into_iter().filter(|n| n % 2 == 0).collect();
    assert_eq!(found(&backend.path()), forever);
}

#[tokio::test]
async fn an_erasure_that_somebody_reads_beside_says_so_and_is_completed_later() {
    let backend = SqliteBackend::default();
    let store: SqliteStore = backend.store(None);
    let lead = Arrival { payload: planted(7, "payload"), ..arrival("7") };
    let held = held(store.work_claim(lead, TERMS).await.expect("the store works"));
    let outcome = done_with(Collected::default());
    let settlement = onceward::store::work::Settlement {
        work: at(&held.work),
        token: held.token,
        outcome,
        notes: Vec::new(),
        replays: Vec::new(),
    };
    store.work_settle(settlement).await.expect("the store works");
    let reader = backend.direct();
    reader.execute_batch("BEGIN; SELECT count(*) FROM work;").expect("it reads");
    let actor = Actor { name: "Noor".to_owned(), reason: "asked for".to_owned(), action: None };
    let erasure = store.payload_erase(at(&held.work), actor).await.expect("the store works");
    assert_eq!(erasure, Erasure::Applied(Erased { works: 1, rows: 0, answers: 0, events: 0 }));
    assert!(!store.payload_scrub().await.expect("the store works"));
    assert_eq!(found(&backend.path()), [7], "the reader's state is still there");
    let work = store.work_show(at(&held.work)).await.expect("the store works").expect("it is there");
    assert!(work.erased_ms.is_some());
    reader.execute_batch("COMMIT").expect("it has read");
    assert!(store.payload_scrub().await.expect("the store works"));
    assert_eq!(found(&backend.path()), Vec::<usize>::new());
}
