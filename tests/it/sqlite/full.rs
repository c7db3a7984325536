//! A ledger that has reached its size limit.

use crate::conformance::harness::{SPACE, TERMS, arrival, at, done, done_with, held, row};
use crate::sqlite::backend::SqliteBackend;
use onceward::store::claim::{Acquired, Arrival};
use onceward::store::error::StoreError;
use onceward::store::sqlite::SqliteStore;
use onceward::store::work::{Collected, Settled, Settlement};
use onceward::store::{Inspect, Ledger};

const MAX_BYTES: u64 = 1 << 20;
const PAYLOAD_BYTES: usize = 10_000;
/// More than fit.
const CLAIMS_MAX: usize = 1_000;

/// Claim work after work until there is no room; those that were promised, and the refusal.
pub(super) async fn fill(store: &SqliteStore, prefix: &str) -> (Vec<Box<Acquired>>, StoreError) {
    let mut promised = Vec::new();
    for n in 0..CLAIMS_MAX {
        let payload = format!(r#""{}""#, "x".repeat(PAYLOAD_BYTES));
        let claim = store.work_claim(Arrival { payload, ..arrival(&format!("{prefix}{n}")) }, TERMS).await;
        let durable = match claim {
            Ok(claim) => {
                let held = held(claim);
                let durable = held.durable.wait().await;
                durable.map(|()| held)
            }
            Err(error) => Err(error),
        };
        match durable {
            Ok(held) => promised.push(held),
            Err(error) => return (promised, error),
        }
    }
    panic!("{CLAIMS_MAX} works fit");
}

async fn settle(store: &SqliteStore, held: &Acquired, collected: Collected) -> Result<Settled, StoreError> {
    let outcome = done_with(collected);
    store
        .work_settle(Settlement {
            work: at(&held.work),
            token: held.token,
            outcome,
            notes: Vec::new(),
            replays: Vec::new(),
        })
        .await
}

/// Everything that was promised is there, to the byte.
pub(super) async fn assert_kept(store: &SqliteStore, promised: &[Box<Acquired>]) {
    for held in promised {
        let stored =
            store.work_show(at(&held.work)).await.expect("the store works").expect("it was promised");
        assert_eq!(stored.payload, held.work.payload);
        assert_eq!(stored.root_key, held.work.root_key);
    }
}

#[tokio::test]
async fn a_full_ledger_refuses_and_loses_nothing() {
    let backend = SqliteBackend::default();
    let store = backend.store(Some(MAX_BYTES));
    let (promised, refusal) = fill(&store, "").await;
    assert!(matches!(refusal, StoreError::Full { .. }) && refusal.is_transient(), "{refusal:?}");
    assert!(refusal.to_string().contains("store.max_bytes"), "{refusal}");
    assert!(promised.len() > 10);
    assert_kept(&store, &promised).await;
    let counts = store.work_counts(SPACE).await.expect("reading goes on");
    assert_eq!(counts.by_state.values().sum::<u64>(), promised.len() as u64, "a refused work was kept");
    // It does not stop: the next refusal is the same, and a work that can't end stays held.
    let giant = Collected { rows: vec![row("r", &"x".repeat(20 * PAYLOAD_BYTES))], ..Collected::default() };
    for _ in 0..2 {
        let refused = settle(&store, &promised[0], giant.clone()).await.expect_err("there is no room");
        assert!(matches!(refused, StoreError::Full { .. }), "{refused:?}");
    }
    drop(store);
    assert!(std::fs::metadata(backend.path()).unwrap().len() <= MAX_BYTES);
    let store = backend.store(Some(8 * MAX_BYTES));
    assert_kept(&store, &promised).await;
    let again = held(
        store
            .work_claim(Arrival { payload: promised[0].work.payload.clone(), ..arrival("0") }, TERMS)
            .await
            .expect("there is room"),
    );
    assert_eq!(settle(&store, &again, giant).await.expect("there is room"), Settled::Applied);
    let (more, _) = fill(&store, "more").await;
    assert!(more.len() > promised.len());
    let last = more.last().expect("some fit");
    let outcome = Settlement {
        work: at(&last.work),
        token: last.token,
        outcome: done(),
        notes: Vec::new(),
        replays: Vec::new(),
    };
    // A small settle may still find room in the pages there are; it never lies about it.
    match store.work_settle(outcome).await {
        Ok(settled) => assert_eq!(settled, Settled::Applied),
        Err(error) => assert!(matches!(error, StoreError::Full { .. }), "{error:?}"),
    }
}
