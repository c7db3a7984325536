//! Receipts: the step that goes on from one is started once, in the transaction that marks the row as sent.

use crate::conformance::harness::{
    Bench, SPACE, TERMS, actor, again, blocked, held, in_doubt, row, row_id, row_ref, sent, take,
};
use onceward::store::operate::RowDecision;
use onceward::store::outbox::{NewRow, ReceiptStep, RowOutcome, RowSettled, RowState};
use onceward::store::work::{WorkFilter, WorkRecord, WorkState};
use serde_json::{Value, json};

/// A row whose receipt is for the step `notify`.
fn with_receipt(id: &str, payload: &str) -> NewRow {
    let receipt_step = Some(ReceiptStep { step: "notify".to_owned(), version: 3 });
    NewRow { slot: format!("deal {id}"), receipt_step, ..row(id, payload) }
}

/// The works of the step `notify`, oldest first.
async fn started(bench: &Bench) -> Vec<WorkRecord> {
    let filter = WorkFilter {
        namespace: SPACE.to_owned(),
        state: None,
        step: Some("notify".to_owned()),
        before: None,
        limit: 100,
    };
    let mut works = bench.store.work_list(filter).await.expect("the store works");
    works.reverse();
    works
}

fn payload(work: &WorkRecord) -> Value {
    serde_json::from_str(&work.payload).expect("a payload is JSON")
}

fn accepted(receipt: &str, flag: Option<&str>) -> RowOutcome {
    RowOutcome::Sent {
        receipt: receipt.to_owned(),
        truncated: false,
        external_reference: flag.is_none().then(|| "d-1".to_owned()),
        flag: flag.map(str::to_owned),
    }
}

pub(super) async fn outbox_settle_sent_starts_the_step_of_the_receipt(bench: Bench) {
    let work = bench.enqueue(vec![with_receipt("r", r#"{"title": "New"}"#)]).await;
    let sending = bench.take_row().await;
    bench.settle_row(&sending, again(0, false)).await;
    bench.settle_row(&bench.take_row().await, blocked()).await;
    assert!(started(&bench).await.is_empty(), "nothing was accepted");
    bench
        .store
        .outbox_decide(row_ref("r"), RowDecision::Again { due_in_ms: 0 }, actor())
        .await
        .expect("the store works");
    let sending = bench.take_row().await;
    bench.settle_row(&sending, sent()).await;
    let works = started(&bench).await;
    let [next] = &works[..] else { panic!("{works:?}") };
    assert_eq!((next.state, next.version, next.attempt, next.chain_depth), (WorkState::Waiting, 3, 0, 1));
    let parent = bench.show(work.clone()).await;
    assert_eq!((next.root_key, next.root_version), (parent.root_key, parent.root_version));
    assert_eq!(next.readable_key, "notify:v3:".to_owned() + &row_id("r").to_string() + ":deal r");
    let expected = json!({
        "row": row_id("r").to_string(),
        "destination": "crm",
        "slot": "deal r",
        "reference": "d-1",
        "receipt": { "id": "d-1" },
        "sent": { "title": "New" },
    });
    assert_eq!(payload(next), expected);
    // The receipt comes again, late: the row is nobody's any more, and nothing begins twice.
    assert_eq!(bench.settle_row(&sending, sent()).await, RowSettled::LeaseLost);
    assert_eq!(started(&bench).await.len(), 1);
    assert!(bench.kinds(work).await.contains(&"followed".to_owned()));
    let taken = bench.store.work_take(SPACE, "notify", TERMS).await.expect("the store works");
    assert_eq!(held(taken.expect("it is due")).work.attempt, 1);
}

pub(super) async fn outbox_settle_hands_on_what_was_sent_and_answered_to_the_byte(bench: Bench) {
    let deal = r#"{"amount":9007199254740993,"rate":1.10,"note":"\u0000"}"#;
    for (id, receipt, expected) in [
        ("json", r#"{"id":12345678901234567890123}"#, r#""receipt":{"id":12345678901234567890123},"#),
        ("text", "created", r#""receipt":"created","#),
        ("empty", "", r#""receipt":null,"#),
        ("two", "{} {}", r#""receipt":"{} {}","#),
    ] {
        bench.enqueue(vec![with_receipt(id, deal)]).await;
        bench.settle_row(&bench.take_row().await, accepted(receipt, None)).await;
        let work = started(&bench).await.pop().expect("it was started");
        assert!(work.payload.contains(expected), "{}", work.payload);
        assert!(work.payload.ends_with(&format!("\"sent\":{deal}}}")), "{}", work.payload);
    }
}

pub(super) async fn outbox_settle_of_a_receipt_in_doubt_leaves_the_step_to_a_person(bench: Bench) {
    bench.enqueue(vec![with_receipt("r", "{}")]).await;
    let flag = "the receipt can't be read";
    bench.settle_row(&bench.take_row().await, accepted("<html>", Some(flag))).await;
    assert_eq!(bench.row("r").await.state, RowState::Sent);
    let work = started(&bench).await.remove(0);
    assert_eq!((work.state, work.cause.as_deref()), (WorkState::Review, Some(flag)));
    assert_eq!(payload(&work)["reference"], Value::Null);
    assert!(bench.store.work_take(SPACE, "notify", TERMS).await.expect("the store works").is_none());
}

pub(super) async fn outbox_settle_of_two_rows_may_start_one_step_twice(bench: Bench) {
    bench.enqueue(vec![with_receipt("1", "{}"), with_receipt("2", "{}")]).await;
    for sending in bench.take_rows(take()).await {
        bench.settle_row(&sending, sent()).await;
    }
    let works = started(&bench).await;
    let rows: Vec<_> = works.iter().map(|work| payload(work)["row"].clone()).collect();
    assert_eq!(rows, [json!(row_id("1").to_string()), json!(row_id("2").to_string())]);
    assert_ne!(works[0].work_id, works[1].work_id);
}

pub(super) async fn outbox_settle_of_anything_but_an_acceptance_starts_nothing(bench: Bench) {
    bench.enqueue(["a", "b", "c", "d"].map(|id| with_receipt(id, "{}")).into()).await;
    let outcomes = [
        again(1_000_000, true),
        blocked(),
        in_doubt(),
        RowOutcome::Withheld { cause: "used up".to_owned(), in_doubt: false },
    ];
    for (sending, outcome) in bench.take_rows(take()).await.iter().zip(outcomes) {
        bench.settle_row(sending, outcome).await;
    }
    for id in ["b", "c"] {
        bench.store.outbox_decide(row_ref(id), RowDecision::Cancel, actor()).await.expect("the store works");
    }
    assert!(started(&bench).await.is_empty());
}

pub(super) async fn outbox_decide_sent_starts_the_step_of_the_receipt(bench: Bench) {
    bench.enqueue(vec![with_receipt("known", "{}"), with_receipt("unknown", "{}")]).await;
    for sending in bench.take_rows(take()).await {
        bench.settle_row(&sending, in_doubt()).await;
    }
    for (id, external_reference) in [("known", Some("d-7".to_owned())), ("unknown", None)] {
        let said = RowDecision::Sent { external_reference };
        bench.store.outbox_decide(row_ref(id), said, actor()).await.expect("the store works");
    }
    let works = started(&bench).await;
    let [known, unknown] = &works[..] else { panic!("{works:?}") };
    assert_eq!((known.state, &payload(known)["reference"]), (WorkState::Waiting, &json!("d-7")));
    assert_eq!((&payload(known)["receipt"], unknown.state), (&Value::Null, WorkState::Review));
    assert!(unknown.cause.as_deref().is_some_and(|why| why.contains("no reference")), "{:?}", unknown.cause);
}
