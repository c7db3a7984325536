//! Claims: one work, one holder, one result.

use crate::conformance::harness::{
    ATTEMPTS, Bench, ELSEWHERE, LEASE_MS, SPACE, TERMS, actor, arrival, at, candidate, done, held,
    other_content, retry,
};
use onceward::contract::response::Response;
use onceward::contract::window::Window;
use onceward::store::claim::{Arrival, Claim, Repeat, Standing, Taking};
use onceward::store::operate::Decided;
use onceward::store::quarantine::{OnMismatch, QuarantineDecision};
use onceward::store::work::{Collected, Outcome, Settled, Settlement, WorkFilter, WorkRef, WorkState};
use std::sync::Arc;
use support::sim_clock::START_MS;

pub(super) async fn work_claim_inserts_new_work_already_claimed(bench: Bench) {
    let held = bench.hold("a").await;
    assert!(!held.takeover);
    let work = bench.show(at(&held.work)).await;
    assert_eq!((work.state, work.attempt, work.duplicates), (WorkState::Running, 1, 0));
    assert_eq!((work.created_ms, work.lease_until_ms), (START_MS, Some(START_MS + LEASE_MS)));
    assert_eq!(work.occurred_at_ms, START_MS - 1_000);
    assert_eq!(
        (work.work_id, work.root_key),
        (candidate("a", 1, "").work_id, candidate("a", 1, "").root_key)
    );
    assert_eq!((work.payload.as_str(), work.source.as_str()), (r#"{"is":"first"}"#, "form"));
    assert_eq!(work.event_id.as_deref(), Some("a"));
}

pub(super) async fn work_claim_without_an_original_time_takes_the_arrival(bench: Bench) {
    bench.advance(5_000);
    let held = held(bench.claim(Arrival { occurred_at_ms: None, ..arrival("a") }).await);
    assert_eq!(held.work.occurred_at_ms, START_MS + 5_000);
}

pub(super) async fn work_claim_keeps_the_payload_to_the_byte(bench: Bench) {
    let payload = "{\"text\": \"\u{0}\\u0000 e\u{301} \u{1F980}\",  \"n\":1.0e2}\n";
    let held = held(bench.claim(Arrival { payload: payload.to_owned(), ..arrival("a") }).await);
    assert_eq!(bench.show(at(&held.work)).await.payload, payload);
}

pub(super) async fn work_claim_of_running_work_is_in_progress_with_a_hint(bench: Bench) {
    let held = bench.hold("a").await;
    let Standing::InProgress { state: WorkState::Running, retry_after_ms } =
        bench.standing(arrival("a")).await
    else {
        panic!("not in progress");
    };
    assert!((1..=LEASE_MS).contains(&retry_after_ms), "{retry_after_ms}");
    let work = bench.show(at(&held.work)).await;
    assert_eq!((work.attempt, work.duplicates), (1, 1));
}

pub(super) async fn work_claim_of_waiting_work_is_in_progress_until_it_is_due(bench: Bench) {
    let first = bench.hold("a").await;
    bench.settle(&first, retry(9_000)).await;
    bench.advance(1_000);
    let standing = bench.standing(arrival("a")).await;
    assert_eq!(standing, Standing::InProgress { state: WorkState::Waiting, retry_after_ms: 8_000 });
    bench.advance(8_000);
    let second = bench.hold("a").await;
    assert_eq!((second.work.attempt, second.takeover), (2, false));
    assert!(second.token > first.token);
}

pub(super) async fn work_claim_s01_s10_by_twenty_at_once_acquires_once(bench: Bench) {
    let claims: Vec<_> = (0..20)
        .map(|_| {
            let store = Arc::clone(&bench.store);
            tokio::spawn(async move { store.work_claim(arrival("a"), TERMS).await })
        })
        .collect();
    let mut acquired = Vec::new();
    for claim in claims {
        match claim.await.expect("no panic").expect("no error") {
            Claim::Acquired(held) => acquired.push(held),
            Claim::Answered(answered) => {
                let Standing::InProgress { state: WorkState::Running, retry_after_ms } = answered.standing
                else {
                    panic!("{answered:?}");
                };
                assert!(retry_after_ms > 0);
            }
        }
    }
    assert_eq!(acquired.len(), 1);
    let work = bench.show(at(&acquired[0].work)).await;
    assert_eq!((work.attempt, work.duplicates), (1, 19));
    let filter = WorkFilter::all(SPACE, 100);
    assert_eq!(bench.store.work_list(filter).await.expect("the store works").len(), 1);
}

fn recording(arrival: Arrival) -> Arrival {
    Arrival { taking: Taking::Record, ..arrival }
}

pub(super) async fn work_claim_that_only_records_leaves_new_work_to_whoever_takes_it(bench: Bench) {
    assert_eq!(bench.standing(recording(arrival("a"))).await, Standing::Recorded);
    let bench = bench.reopen().await;
    let at = WorkRef { namespace: SPACE.to_owned(), id: candidate("a", 1, "first").work_id };
    let work = bench.show(at.clone()).await;
    assert_eq!((work.state, work.attempt, work.budget_from_ms), (WorkState::Waiting, 0, None));
    assert_eq!((work.due_ms, work.event_id.as_deref()), (Some(START_MS), Some("a")));
    assert_eq!(bench.kinds(at).await, ["recorded"]);
    let waits = Standing::InProgress { state: WorkState::Waiting, retry_after_ms: 0 };
    assert_eq!(bench.standing(recording(arrival("a"))).await, waits, "a repeat is one");
    assert!(matches!(bench.standing(recording(other_content("a"))).await, Standing::Mismatch { .. }));
    let taken = bench.take().await.expect("it is due");
    assert_eq!((taken.work.attempt, taken.work.duplicates), (1, 2));
    assert!(!taken.takeover && bench.take().await.is_none());
    assert_eq!(bench.standing(recording(arrival("b"))).await, Standing::Recorded);
    assert_eq!(bench.hold("b").await.work.attempt, 1, "whoever claims it runs it too");
}

pub(super) async fn work_claim_that_only_records_takes_no_known_work(bench: Bench) {
    let lost = bench.hold("lost").await;
    bench.finish("done", Collected::default()).await;
    bench.advance(10 * LEASE_MS);
    let standing = bench.standing(recording(arrival("lost"))).await;
    assert_eq!(standing, Standing::InProgress { state: WorkState::Running, retry_after_ms: 0 });
    assert_eq!(bench.show(at(&lost.work)).await.attempt, 1);
    assert_eq!(bench.settle(&lost, done()).await, Settled::Applied, "nobody took it over");
    assert!(matches!(bench.standing(recording(arrival("done"))).await, Standing::Done(_)));
    let keeping = Arrival { on_mismatch: OnMismatch::Quarantine, ..other_content("done") };
    let Standing::Quarantined { id } = bench.standing(recording(keeping.clone())).await else {
        panic!("it is lost")
    };
    let admit = bench.store.quarantine_decide(SPACE, id, QuarantineDecision::Admit, actor()).await;
    assert_eq!(admit.expect("the store works"), Decided::Applied);
    let waits = Standing::InProgress { state: WorkState::Waiting, retry_after_ms: 0 };
    assert_eq!(bench.standing(recording(keeping)).await, waits);
}

pub(super) async fn work_claim_of_done_work_gives_the_first_result(bench: Bench) {
    let held = bench.hold("a").await;
    let outcome = Outcome::Done {
        output: r#"{"n":1.0}"#.to_owned(),
        needs_review: Some("no phone".to_owned()),
        follow_up: None,
        collected: Collected::default(),
    };
    bench.settle(&held, outcome).await;
    bench.advance(100 * LEASE_MS);
    let original =
        Repeat::Original { output: r#"{"n":1.0}"#.to_owned(), needs_review: Some("no phone".to_owned()) };
    for (response, repeat) in [
        (Response::Original, original),
        (Response::Acknowledgement, Repeat::Acknowledgement),
        (Response::Error, Repeat::Error),
    ] {
        let standing = bench.standing(Arrival { response, ..arrival("a") }).await;
        assert_eq!(standing, Standing::Done(repeat));
    }
    assert_eq!(bench.show(at(&held.work)).await.state, WorkState::Done);
}

pub(super) async fn work_claim_with_other_content_is_a_mismatch_and_changes_nothing(bench: Bench) {
    let held = bench.hold("a").await;
    let mismatch = Standing::Mismatch {
        recorded: candidate("a", 1, "first").content_hash,
        arrived: candidate("a", 1, "second").content_hash,
    };
    assert_eq!(bench.standing(other_content("a")).await, mismatch);
    // Also where it would be free to be taken, and where it has ended.
    bench.advance(LEASE_MS);
    assert_eq!(bench.standing(other_content("a")).await, mismatch);
    let work = bench.show(at(&held.work)).await;
    assert_eq!(
        (work.state, work.attempt, work.payload.as_str()),
        (WorkState::Running, 1, r#"{"is":"first"}"#)
    );
    assert_eq!(bench.settle(&held, done()).await, Settled::Applied);
    assert_eq!(bench.standing(other_content("a")).await, mismatch);
    assert_eq!(bench.show(at(&held.work)).await.payload, r#"{"is":"first"}"#);
}

pub(super) async fn work_claim_after_the_lease_takes_over_with_a_greater_token(bench: Bench) {
    let first = bench.hold("a").await;
    bench.advance(LEASE_MS - 1);
    let standing = bench.standing(arrival("a")).await;
    assert_eq!(standing, Standing::InProgress { state: WorkState::Running, retry_after_ms: 1 });
    bench.advance(1);
    let second = bench.hold("a").await;
    assert!(second.takeover && second.token > first.token);
    assert_eq!((second.work.attempt, second.work.work_id), (2, first.work.work_id));
    assert_eq!(second.work.lease_until_ms, Some(START_MS + 2 * LEASE_MS));
}

pub(super) async fn work_claim_with_attempts_used_up_is_dead_with_the_cause(bench: Bench) {
    let mut last = bench.hold("a").await;
    for attempt in 2..=ATTEMPTS {
        bench.advance(LEASE_MS);
        last = bench.hold("a").await;
        assert_eq!(last.work.attempt, attempt);
    }
    bench.advance(LEASE_MS);
    let Standing::Dead { cause } = bench.standing(arrival("a")).await else { panic!("not dead") };
    assert!(cause.contains("attempts used up"), "{cause}");
    let work = bench.show(at(&last.work)).await;
    assert_eq!((work.state, work.attempt), (WorkState::Dead, ATTEMPTS));
    assert_eq!(work.cause.as_deref(), Some(cause.as_str()));
    assert_eq!(bench.settle(&last, done()).await, Settled::LeaseLost);
    assert_eq!(bench.standing(arrival("a")).await, Standing::Dead { cause });
}

pub(super) async fn work_claim_of_ended_work_says_how_it_stands(bench: Bench) {
    let cause = || "spam".to_owned();
    let ends = [
        (Outcome::Review { cause: cause() }, Standing::InReview { cause: cause() }),
        (Outcome::Reject { cause: cause() }, Standing::Rejected { cause: cause() }),
        (Outcome::Dead { cause: cause() }, Standing::Dead { cause: cause() }),
    ];
    for (id, (outcome, expected)) in ["a", "b", "c"].into_iter().zip(ends) {
        let held = bench.hold(id).await;
        assert_eq!(bench.settle(&held, outcome).await, Settled::Applied);
        bench.advance(10 * LEASE_MS);
        assert_eq!(bench.standing(arrival(id)).await, expected);
    }
}

pub(super) async fn work_claim_of_a_too_old_event_is_never_new(bench: Bench) {
    let window = Window::Duration(60);
    let event = |id: &str, age_ms: i64| Arrival {
        occurred_at_ms: Some(START_MS - age_ms),
        window: window.clone(),
        ..arrival(id)
    };
    assert_eq!(bench.standing(event("old", 60_001)).await, Standing::TooOld);
    let filter = WorkFilter::all(SPACE, 100);
    assert!(bench.store.work_list(filter).await.expect("the store works").is_empty(), "it was recorded");
    // What is known is answered, however old its event has become.
    let held = held(bench.claim(event("known", 60_000)).await);
    bench.settle(&held, done()).await;
    bench.advance(3_600_000);
    assert!(matches!(bench.standing(event("known", 60_000)).await, Standing::Done(_)));
    assert_eq!(bench.standing(event("unknown", 60_000)).await, Standing::TooOld);
}

pub(super) async fn work_claim_after_a_raised_version_finds_the_earlier_work(bench: Bench) {
    let first = bench.hold("a").await;
    bench.settle(&first, done()).await;
    // The version changed what counts as content; the content is compared as version 1 declared it.
    let raised = Arrival {
        current: candidate("a", 2, "declared otherwise"),
        earlier: vec![candidate("a", 1, "first")],
        ..arrival("a")
    };
    let Claim::Answered(answered) = bench.claim(raised.clone()).await else {
        panic!("a redelivery became new work")
    };
    assert!(matches!(answered.standing, Standing::Done(_)), "{answered:?}");
    assert_eq!(
        (answered.work.id, answered.readable_key),
        (first.work.work_id, first.work.readable_key.clone())
    );
    let changed = Arrival { earlier: vec![candidate("a", 1, "second")], ..raised };
    assert!(matches!(bench.standing(changed).await, Standing::Mismatch { .. }));
}

pub(super) async fn work_claim_after_other_identity_fields_finds_the_earlier_work(bench: Bench) {
    let first = bench.hold("by the old fields").await;
    let raised = |old: &str| Arrival {
        current: candidate("by the new fields", 3, "third"),
        earlier: vec![candidate("by fields between", 2, "first"), candidate(old, 1, "first")],
        ..arrival("a")
    };
    let Claim::Answered(answered) = bench.claim(raised("by the old fields")).await else {
        panic!("it became new")
    };
    assert_eq!(answered.work.id, first.work.work_id);
    bench.advance(LEASE_MS);
    let second = held(bench.claim(raised("by the old fields")).await);
    assert_eq!((second.work.work_id, second.work.version, second.work.attempt), (first.work.work_id, 1, 2));
    let new = held(bench.claim(raised("never seen")).await);
    assert_eq!((new.work.version, new.work.attempt), (3, 1));
}

pub(super) async fn work_claim_gives_tokens_that_never_repeat(bench: Bench) {
    let mut bench = bench;
    let mut tokens = Vec::new();
    for round in 0..3 {
        for n in 0..4 {
            tokens.push(bench.hold(&format!("{round}.{n}")).await.token);
        }
        bench = bench.reopen().await;
    }
    assert!(tokens.windows(2).all(|pair| pair[0] < pair[1]), "{tokens:?}");
}

pub(super) async fn work_claim_shares_nothing_between_namespaces(bench: Bench) {
    let here = bench.hold("a").await;
    bench.settle(&here, done()).await;
    let there = held(bench.claim(Arrival { namespace: ELSEWHERE.to_owned(), ..arrival("a") }).await);
    assert_eq!((there.work.work_id, there.work.attempt), (here.work.work_id, 1));
    assert_eq!(bench.show(at(&there.work)).await.state, WorkState::Running);
    // The token of one namespace is worth nothing in the other.
    let second = bench.hold("b").await;
    for (work, token) in [(at(&there.work), second.token), (at(&second.work), there.token)] {
        let settlement = Settlement { work, token, outcome: done(), notes: Vec::new(), replays: Vec::new() };
        let crossed = bench.store.work_settle(settlement).await.expect("the store works");
        assert_eq!(crossed, Settled::LeaseLost);
    }
    assert_eq!(bench.show(at(&there.work)).await.state, WorkState::Running);
}

pub(super) async fn work_claim_in_time_that_never_goes_back(bench: Bench) {
    let first = bench.hold("a").await;
    bench.advance(-7 * 3_600_000);
    let second = bench.hold("b").await;
    assert_eq!(second.work.created_ms, first.work.created_ms);
    bench.settle(&first, retry(5_000)).await;
    let bench = bench.reopen().await;
    let third = bench.hold("c").await;
    assert_eq!(third.work.created_ms, START_MS);
    let waits = bench.standing(arrival("a")).await;
    assert_eq!(waits, Standing::InProgress { state: WorkState::Waiting, retry_after_ms: 5_000 });
    // The machine's clock catches up, and time goes on from there.
    bench.advance(7 * 3_600_000 + 5_000);
    assert_eq!(bench.hold("a").await.work.attempt, 2);
}
