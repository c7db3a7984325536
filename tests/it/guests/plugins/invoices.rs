//! `invoice-sender`: one number, one amount, one invoice; and a person's word for large ones.

use crate::guests::plugins::approve;
use crate::guests::plugins::received;
use crate::guests::plugins::with_reference;
use onceward::contract::tier::Tier;
use onceward::dispatch::end::End;
use onceward::store::claim::Standing;
use onceward::store::outbox::RowState;
use serde_json::Value;
use serde_json::json;
use std::path::Path;
use support::host::{HostBuilder, TestHost, event};
use support::receiver::Receiver;

const SENDER: &str = "invoice-sender";

async fn host(dir: &Path, receiver: &Receiver) -> TestHost {
    HostBuilder::new(dir)
        .step("invoice_sender")
        .also("billing", Tier::Key, with_reference(&receiver.url("/any/invoices")))
        .start()
        .await
}

fn invoice(number: &str, amount: Value) -> Value {
    json!({ "issuer": "acme", "number": number, "customer": "Ada", "amount": amount })
}

fn euros(minor: u64) -> Value {
    json!({ "minor": minor, "currency": "EUR" })
}

#[tokio::test]
async fn an_invoice_goes_out_once_however_often_it_comes_and_answers_get_lost() {
    let dir = tempfile::tempdir().unwrap();
    let receiver = Receiver::start(&dir.path().join("billing")).unwrap();
    let host = host(dir.path(), &receiver).await;
    host.done(SENDER, &event("1", &invoice("7", euros(12_900)))).await;
    receiver.fault(&["lose-reply", "refuse"]).unwrap();
    host.deliver_off().await;
    // Another message about the same invoice.
    host.answered(SENDER, &event("2", &invoice("7", euros(12_900)))).await;
    host.deliver_off().await;
    assert_eq!(received(&receiver, "invoices").await, [invoice("7", euros(12_900))]);
}

#[tokio::test]
async fn another_amount_under_the_same_number_is_a_mismatch_and_the_first_stands() {
    let dir = tempfile::tempdir().unwrap();
    let receiver = Receiver::start(&dir.path().join("billing")).unwrap();
    let host = host(dir.path(), &receiver).await;
    host.done(SENDER, &event("1", &invoice("7", euros(100)))).await;
    for changed in [euros(101), json!({ "minor": 100, "currency": "USD" })] {
        let answer = host.answered(SENDER, &event("1", &invoice("7", changed.clone()))).await;
        assert!(matches!(answer.standing, Standing::Mismatch { .. }), "{changed}: {answer:?}");
    }
    host.deliver_off().await;
    assert_eq!(received(&receiver, "invoices").await, [invoice("7", euros(100))]);
}

#[tokio::test]
async fn money_that_is_no_whole_number_of_the_smallest_unit_goes_to_a_person() {
    let dir = tempfile::tempdir().unwrap();
    let receiver = Receiver::start(&dir.path().join("billing")).unwrap();
    let host = host(dir.path(), &receiver).await;
    let amount = |minor: Value| json!({ "minor": minor, "currency": "EUR" });
    for (number, amount, said) in [
        ("1", amount(json!(129.5)), "`/amount/minor`"),
        ("2", amount(json!(129.0)), "`/amount/minor`"),
        ("3", amount(json!("129")), "`/amount/minor`"),
        ("4", amount(json!(-1)), "`/amount/minor`"),
        ("5", amount(json!(0)), "amount is 0"),
        ("6", json!({ "minor": 1, "currency": "euro" }), "currency"),
        ("7", json!({ "minor": 1, "currency": "EUR", "cents": 5 }), "`cents`"),
        ("8", json!(129), "`/amount`"),
    ] {
        let ended = host.ran(SENDER, &event(number, &invoice(number, amount))).await;
        assert!(matches!(&ended.end, End::Review(why) if why.contains(said)), "{number}: {:?}", ended.end);
    }
    assert!(host.rows().await.is_empty());
}

#[tokio::test]
async fn a_large_invoice_is_held_until_a_person_approves_it() {
    let dir = tempfile::tempdir().unwrap();
    let receiver = Receiver::start(&dir.path().join("billing")).unwrap();
    let host = host(dir.path(), &receiver).await;
    host.done(SENDER, &event("1", &invoice("1", euros(99_999)))).await;
    let large = host.done(SENDER, &event("2", &invoice("2", euros(100_000)))).await;
    assert_eq!(large["held"], json!(true));
    host.deliver_off().await;
    assert_eq!(host.row_states().await, [RowState::Sent, RowState::Held]);
    let rows = host.rows().await;
    approve(&host, &rows[1], "Noor").await;
    approve(&host, &rows[1], "Noor").await;
    host.deliver_off().await;
    assert_eq!(received(&receiver, "invoices").await.len(), 2);
}
