//! Outside callers, who do their effects themselves: what is known of an effect, and what is in doubt.

use crate::conformance::harness::{
    ATTEMPTS, Bench, ELSEWHERE, LEASE_MS, SPACE, STEP, TERMS, arrival, at, done, held, retry,
};
use onceward::contract::fence::Token;
use onceward::store::claim::{Acquired, Arrival, Claim, Standing};
use onceward::store::intent::{EffectRecord, Extended, Extension, Intent, IntentState, Recorded};
use onceward::store::work::{Holder, Outcome, Settled, WorkRef, WorkState};
use support::sim_clock::START_MS;

/// A caller that claims this key, about to do this effect.
fn call(id: &str, effect: Option<&str>) -> Arrival {
    Arrival { holder: Holder::Caller, intent: effect.map(str::to_owned), ..arrival(id) }
}

pub(super) async fn hold(bench: &Bench, id: &str, effect: Option<&str>) -> Box<Acquired> {
    held(bench.claim(call(id, effect)).await)
}

async fn record(bench: &Bench, held: &Acquired, slot: &str, reference: Option<&str>) -> Recorded {
    record_at(bench, at(&held.work), held.token, slot, reference).await
}

async fn record_at(
    bench: &Bench,
    work: WorkRef,
    token: Token,
    slot: &str,
    reference: Option<&str>,
) -> Recorded {
    let slot = slot.to_owned();
    let effect = EffectRecord { token, slot, external_reference: reference.map(str::to_owned) };
    bench.store.effect_record(work, effect).await.expect("the store works")
}

async fn extend(bench: &Bench, held: &Acquired, lease_ms: i64, effect: Option<&str>) -> Extended {
    let extension =
        Extension { token: held.token, holder: Holder::Caller, lease_ms, intent: effect.map(str::to_owned) };
    bench.store.lease_extend(at(&held.work), extension).await.expect("the store works")
}

/// Slot, state and reference of a work's effects, oldest first.
async fn effects(bench: &Bench, held: &Acquired) -> Vec<(String, IntentState, Option<String>)> {
    let intents = bench.store.effect_list(at(&held.work)).await.expect("the store works");
    intents.into_iter().map(told).collect()
}

fn told(intent: Intent) -> (String, IntentState, Option<String>) {
    (intent.slot, intent.state, intent.external_reference)
}

fn recorded(slot: &str, reference: Option<&str>) -> (String, IntentState, Option<String>) {
    (slot.to_owned(), IntentState::Recorded, reference.map(str::to_owned))
}

pub(super) async fn work_claim_opens_the_callers_effect_with_the_claim(bench: Bench) {
    let first = hold(&bench, "a", Some("crm")).await;
    assert_eq!(first.work.holder, Holder::Caller);
    let [intent] = &first.intents[..] else { panic!("{:?}", first.intents) };
    assert_eq!((intent.slot.as_str(), intent.state), ("crm", IntentState::Open));
    assert_eq!((intent.token, intent.opened_ms), (first.token.number(), START_MS));
    // A repeat does not open another one.
    assert!(matches!(bench.standing(call("a", Some("mail"))).await, Standing::InProgress { .. }));
    assert_eq!(effects(&bench, &first).await.len(), 1);
}

pub(super) async fn work_claim_s14_after_the_lease_of_an_open_effect_is_in_doubt(bench: Bench) {
    let first = hold(&bench, "a", Some("pay")).await;
    bench.advance(LEASE_MS);
    let Standing::InDoubt { cause } = bench.standing(call("a", Some("pay"))).await else {
        panic!("it would be paid twice")
    };
    for words in
        ["pay", &format!("token {}", first.token), "2026-01-01T00:00:00.000Z", "2026-01-01T00:01:00.000Z"]
    {
        assert!(cause.contains(words), "{words} of the first attempt is missing: {cause}");
    }
    let work = bench.show(at(&first.work)).await;
    assert_eq!((work.state, work.attempt), (WorkState::InDoubt, 1));
    // It stays so, for whoever comes next, and for the one who was slow.
    assert!(matches!(bench.standing(call("a", None)).await, Standing::InDoubt { .. }));
    assert_eq!(bench.settle(&first, done()).await, Settled::LeaseLost);
    assert_eq!(bench.show(at(&first.work)).await.state, WorkState::InDoubt);
}

pub(super) async fn work_claim_s15_after_a_lease_without_an_effect_takes_over(bench: Bench) {
    let first = hold(&bench, "a", None).await;
    bench.advance(LEASE_MS);
    let second = hold(&bench, "a", Some("pay")).await;
    assert_eq!((second.takeover, second.work.attempt), (true, 2));
    assert!(second.token > first.token);
    assert_eq!(effects(&bench, &second).await, [("pay".to_owned(), IntentState::Open, None)]);
}

pub(super) async fn work_claim_after_a_recorded_effect_says_so_and_does_not_open_it_again(bench: Bench) {
    let first = hold(&bench, "a", Some("pay")).await;
    assert_eq!(record(&bench, &first, "pay", Some("tx-1")).await, Recorded::Applied);
    bench.advance(LEASE_MS);
    let second = hold(&bench, "a", Some("pay")).await;
    assert!(second.takeover);
    let intents: Vec<_> = second.intents.iter().cloned().map(told).collect();
    assert_eq!(intents, [recorded("pay", Some("tx-1"))]);
}

pub(super) async fn work_claim_of_a_callers_work_uses_up_its_attempts(bench: Bench) {
    for _ in 0..ATTEMPTS {
        hold(&bench, "a", None).await;
        bench.advance(LEASE_MS);
    }
    let Standing::Dead { cause } = bench.standing(call("a", None)).await else { panic!("it goes on") };
    assert!(cause.contains("attempts used up (3)") && cause.contains("caller"), "{cause}");
}

pub(super) async fn work_claim_by_a_caller_outlives_the_hosts_process(bench: Bench) {
    let called = hold(&bench, "a", Some("pay")).await;
    bench.hold("hosted").await;
    let bench = bench.reopen().await;
    // The hosted run ended with the process; the caller did not.
    assert!(bench.take().await.expect("it is free").takeover);
    assert!(matches!(bench.standing(call("a", None)).await, Standing::InProgress { .. }));
    assert_eq!(record(&bench, &called, "pay", None).await, Recorded::Applied);
    assert_eq!(bench.settle(&called, done()).await, Settled::Applied);
}

pub(super) async fn work_take_leaves_a_callers_work_to_the_caller(bench: Bench) {
    let first = hold(&bench, "a", None).await;
    assert_eq!(first.work.step, STEP, "the scope has the name of the worker's step");
    bench.settle(&first, retry(0)).await;
    hold(&bench, "b", None).await;
    bench.advance(100 * LEASE_MS);
    assert!(bench.take().await.is_none());
    assert_eq!(bench.store.work_next_due(SPACE, STEP).await.expect("the store works"), None);
    let again = hold(&bench, "a", None).await;
    assert_eq!((again.work.attempt, again.takeover), (2, false));
}

pub(super) async fn work_lapse_puts_in_doubt_what_nobody_comes_back_for(bench: Bench) {
    let open = hold(&bench, "open", Some("pay")).await;
    let without = hold(&bench, "without", None).await;
    let kept = hold(&bench, "recorded", Some("pay")).await;
    record(&bench, &kept, "pay", None).await;
    let lapse = || async { bench.store.work_lapse(SPACE).await.expect("the store works") };
    assert_eq!(lapse().await, 0, "the leases hold");
    bench.advance(LEASE_MS);
    assert_eq!(bench.store.work_lapse(ELSEWHERE).await.expect("the store works"), 0);
    assert_eq!((lapse().await, lapse().await), (1, 0));
    assert_eq!(bench.show(at(&open.work)).await.state, WorkState::InDoubt);
    for held in [without, kept] {
        assert_eq!(bench.show(at(&held.work)).await.state, WorkState::Running);
    }
}

pub(super) async fn effect_record_is_said_once_and_the_first_word_stands(bench: Bench) {
    let held = hold(&bench, "a", Some("pay")).await;
    assert_eq!(record(&bench, &held, "pay", None).await, Recorded::Applied);
    // A reference may still come to it; another one may not.
    for said in [Some("tx-1"), None, Some("tx-1"), Some("tx-2")] {
        let already = Recorded::Already { external_reference: Some("tx-1".to_owned()) };
        assert_eq!(record(&bench, &held, "pay", said).await, already, "{said:?}");
    }
    // What was not announced can be recorded as well.
    assert_eq!(record(&bench, &held, "mail", Some("m-1")).await, Recorded::Applied);
    assert_eq!(effects(&bench, &held).await, [recorded("mail", Some("m-1")), recorded("pay", Some("tx-1"))]);
    assert_eq!(bench.settle(&held, done()).await, Settled::Applied);
}

pub(super) async fn effect_record_with_a_stale_token_puts_unfinished_work_in_doubt(bench: Bench) {
    // The second holder runs, waits, or needs a person: in each case the effect has happened and nobody may go on.
    let ends = [
        None,
        Some(retry(60_000)),
        Some(Outcome::Review { cause: "unsure".to_owned() }),
        Some(Outcome::Dead { cause: "used up".to_owned() }),
    ];
    for (n, end) in ends.into_iter().enumerate() {
        let id = format!("w{n}");
        let first = hold(&bench, &id, None).await;
        bench.advance(LEASE_MS);
        let second = hold(&bench, &id, None).await;
        if let Some(end) = end {
            bench.settle(&second, end).await;
        }
        let late = Recorded::Late { state: WorkState::InDoubt };
        assert_eq!(record(&bench, &first, "pay", Some("tx-1")).await, late);
        let work = bench.show(at(&first.work)).await;
        let cause = work.cause.unwrap_or_default();
        assert!(work.state == WorkState::InDoubt && cause.contains("tx-1"), "{cause}");
        assert_eq!(bench.settle(&second, done()).await, Settled::LeaseLost);
        let lines = bench.kinds(at(&first.work)).await.len();
        assert_eq!(record(&bench, &first, "pay", Some("tx-1")).await, late, "said again");
        assert_eq!(bench.kinds(at(&first.work)).await.len(), lines, "and not recorded again");
    }
}

pub(super) async fn effect_record_after_the_end_of_a_work_is_evidence_alone(bench: Bench) {
    let ends =
        [(done(), WorkState::Done), (Outcome::Reject { cause: "spam".to_owned() }, WorkState::Rejected)];
    for (n, (end, state)) in ends.into_iter().enumerate() {
        let id = format!("w{n}");
        let first = hold(&bench, &id, None).await;
        bench.advance(LEASE_MS);
        let second = hold(&bench, &id, None).await;
        bench.settle(&second, end).await;
        assert_eq!(record(&bench, &first, "pay", Some("tx-1")).await, Recorded::Late { state });
        assert_eq!(bench.show(at(&first.work)).await.state, state);
        assert_eq!(effects(&bench, &first).await, [recorded("pay", Some("tx-1"))]);
        assert!(bench.kinds(at(&first.work)).await.contains(&"effect-recorded".to_owned()));
    }
}

pub(super) async fn effect_record_that_came_in_time_stays_so_however_often_it_is_said(bench: Bench) {
    let held = hold(&bench, "a", Some("pay")).await;
    assert_eq!(record(&bench, &held, "pay", Some("tx-1")).await, Recorded::Applied);
    let other = hold(&bench, "b", Some("pay")).await;
    for held in [&held, &other] {
        assert_eq!(bench.settle(held, done()).await, Settled::Applied);
    }
    let already = Recorded::Already { external_reference: Some("tx-1".to_owned()) };
    assert_eq!(record(&bench, &held, "pay", Some("tx-1")).await, already, "its answer was lost");
    // The settlement said that it had happened; the reference comes after it.
    assert_eq!(record(&bench, &other, "pay", Some("tx-1")).await, already);
    // What nobody spoke of before the end is late, and stays it.
    for _ in 0..2 {
        let late = Recorded::Late { state: WorkState::Done };
        assert_eq!(record(&bench, &held, "mail", None).await, late);
    }
    let intents = bench.store.effect_list(at(&held.work)).await.expect("the store works");
    let late: Vec<_> = intents.iter().map(|intent| (intent.slot.as_str(), intent.late)).collect();
    assert_eq!(late, [("mail", true), ("pay", false)]);
}

pub(super) async fn effect_record_is_for_callers_works_and_for_tokens_that_were_given_out(bench: Bench) {
    let called = hold(&bench, "called", None).await;
    let hosted = bench.hold("hosted").await;
    let later = Token::from_number(hosted.token.number() + 1);
    for (work, token) in [
        (at(&hosted.work), hosted.token),
        (at(&called.work), later),
        (at(&called.work), Token::from_number(0)),
        (WorkRef { namespace: ELSEWHERE.to_owned(), id: called.work.work_id }, called.token),
    ] {
        assert_eq!(record_at(&bench, work, token, "pay", None).await, Recorded::Unknown);
    }
    assert_eq!(bench.show(at(&called.work)).await.state, WorkState::Running);
}

pub(super) async fn work_settle_says_what_became_of_the_effects_that_are_open(bench: Bench) {
    let cases = [
        (done(), IntentState::Recorded),
        (retry(0), IntentState::Withdrawn),
        (Outcome::Reject { cause: "spam".to_owned() }, IntentState::Withdrawn),
        (Outcome::Review { cause: "unsure".to_owned() }, IntentState::Open),
        (Outcome::InDoubt { cause: "reply lost".to_owned() }, IntentState::Open),
        (Outcome::GiveBack { cause: "not begun".to_owned() }, IntentState::Withdrawn),
    ];
    for (n, (end, state)) in cases.into_iter().enumerate() {
        let held = hold(&bench, &format!("w{n}"), Some("pay")).await;
        assert_eq!(bench.settle(&held, end.clone()).await, Settled::Applied);
        assert_eq!(effects(&bench, &held).await, [("pay".to_owned(), state, None)], "{end:?}");
    }
    let standing = bench.standing(call("w4", Some("pay"))).await;
    assert_eq!(standing, Standing::InDoubt { cause: "reply lost".to_owned() });
    // After a retry the caller goes on, and opens it anew.
    let again = hold(&bench, "w1", Some("pay")).await;
    assert_eq!(again.intents.last().map(|intent| intent.state), Some(IntentState::Open));
}

pub(super) async fn work_settle_said_again_by_a_caller_is_the_same_act(bench: Bench) {
    let ends = [
        done(),
        retry(60_000),
        Outcome::Reject { cause: "spam".to_owned() },
        Outcome::Review { cause: "unsure".to_owned() },
        Outcome::InDoubt { cause: "reply lost".to_owned() },
    ];
    for (n, end) in ends.iter().enumerate() {
        let held = hold(&bench, &format!("w{n}"), None).await;
        assert_eq!(bench.settle(&held, end.clone()).await, Settled::Applied);
        let (work, kinds) = (bench.show(at(&held.work)).await, bench.kinds(at(&held.work)).await);
        for (m, other) in ends.iter().enumerate() {
            let again = bench.settle(&held, other.clone()).await;
            assert_eq!(again == Settled::Applied, m == n, "{end:?}, then {other:?}: {again:?}");
        }
        assert_eq!(format!("{:?}", bench.show(at(&held.work)).await), format!("{work:?}"));
        assert_eq!(bench.kinds(at(&held.work)).await, kinds);
    }
    // A later claim has taken its place, and says the same for itself.
    let first = hold(&bench, "later", None).await;
    bench.settle(&first, retry(0)).await;
    let second = hold(&bench, "later", None).await;
    assert_eq!(bench.settle(&first, retry(0)).await, Settled::Applied, "it was settled so");
    assert_eq!(bench.settle(&first, done()).await, Settled::LeaseLost);
    assert_eq!(bench.settle(&second, done()).await, Settled::Applied);
    assert_eq!(bench.settle(&first, done()).await, Settled::LeaseLost, "that was the second one's");
}

pub(super) async fn lease_extend_holds_a_callers_claim_and_never_shortens_it(bench: Bench) {
    let held = hold(&bench, "a", None).await;
    bench.advance(LEASE_MS - 1);
    let Extended::Applied { lease_until_ms, intents } =
        extend(&bench, &held, 2 * LEASE_MS, Some("mail")).await
    else {
        panic!("it holds")
    };
    assert_eq!(lease_until_ms, START_MS + LEASE_MS - 1 + 2 * LEASE_MS);
    assert_eq!(intents.len(), 1, "the next effect is open");
    let shorter = extend(&bench, &held, 1, None).await;
    assert!(matches!(shorter, Extended::Applied { lease_until_ms: until, .. } if until == lease_until_ms));
    bench.advance(LEASE_MS);
    assert!(matches!(bench.standing(call("a", None)).await, Standing::InProgress { .. }));
    bench.advance(LEASE_MS);
    let Claim::Answered(answered) = bench.claim(call("a", None)).await else { panic!("mail would go twice") };
    assert!(matches!(answered.standing, Standing::InDoubt { .. }), "{answered:?}");
    assert_eq!(extend(&bench, &held, LEASE_MS, None).await, Extended::LeaseLost);
}

pub(super) async fn lease_extend_by_a_stale_holder_or_of_a_hosted_run_changes_nothing(bench: Bench) {
    let first = hold(&bench, "a", None).await;
    bench.advance(LEASE_MS);
    let second = hold(&bench, "a", None).await;
    assert_eq!(extend(&bench, &first, 9 * LEASE_MS, Some("pay")).await, Extended::LeaseLost);
    assert!(effects(&bench, &second).await.is_empty());
    let hosted = bench.hold("hosted").await;
    assert_eq!(extend(&bench, &hosted, LEASE_MS, None).await, Extended::LeaseLost);
}

pub(super) async fn effect_list_shares_nothing_between_namespaces_and_works(bench: Bench) {
    let here = hold(&bench, "a", Some("pay")).await;
    let there = call("a", None);
    let there = held(bench.claim(Arrival { namespace: ELSEWHERE.to_owned(), ..there }).await);
    let other = hold(&bench, "b", None).await;
    assert_eq!(effects(&bench, &here).await.len(), 1);
    assert!(effects(&bench, &there).await.is_empty() && effects(&bench, &other).await.is_empty());
    let again = bench.store.work_claim(call("a", None), TERMS).await.expect("the store works");
    assert!(matches!(again, Claim::Answered(_)));
}
