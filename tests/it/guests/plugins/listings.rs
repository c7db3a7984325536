//! `listing-scraper`: a long list in chunks, each entry once, whichever run gets to it.

use crate::guests::plugins::received;
use onceward::connectors::Envelope;
use onceward::contract::tier::Tier;
use onceward::dispatch::end::End;
use onceward::store::outbox::RowState;
use serde_json::Value;
use serde_json::json;
use std::collections::BTreeSet;
use std::path::Path;
use support::host::{HostBuilder, TestHost, event};
use support::observe::output;
use support::receiver::Receiver;

const SCRAPER: &str = "listing-scraper";

/// What one run of the step takes.
const CHUNK: usize = 150;

async fn host(dir: &Path) -> TestHost {
    HostBuilder::new(dir).step("listing_scraper").start().await
}

fn listings(count: usize) -> Vec<Value> {
    (0..count)
        .map(|n| json!({ "url": format!("https://homes.example/l/{n}"), "title": format!("Home {n}") }))
        .collect()
}

fn page(run: &str, listings: &[Value]) -> Value {
    json!({ "site": "homes.example", "run_id": run, "scraped_at": run, "listings": listings })
}

#[tokio::test]
async fn s21_a_batch_that_died_after_300_of_10000_is_started_again_and_runs_the_other_9700() {
    let dir = tempfile::tempdir().unwrap();
    let first = host(dir.path()).await;
    let all = listings(10_000);
    let held = first.hold(SCRAPER, &event("run-1", &page("run-1", &all))).await;
    let started = held.run(&first.dispatcher).await.settle(&first.dispatcher).await.unwrap();
    first.take(SCRAPER).await.run(&first.dispatcher).await.settle(&first.dispatcher).await.unwrap();
    // The third chunk has its claims when the host dies.
    let lost = first.take(SCRAPER).await.run(&first.dispatcher).await;
    drop(lost);
    let count = async |host: &TestHost| host.store.outbox_counts(support::host::NAMESPACE).await.unwrap();
    assert_eq!(count(&first).await.by_state[&RowState::Pending], 300);
    let (clock, oracle) = first.end().await;

    let second = HostBuilder::new(dir.path()).step("listing_scraper").doors_of(&clock, &oracle).start().await;
    let again = second.run(SCRAPER, &event("run-2", &page("run-2", &all))).await.unwrap();
    let id = match &again {
        Ok(ended) => ended.work.work_id,
        Err(answered) => answered.work.id,
    };
    assert_eq!(id, started.work.work_id, "the run is not the work");
    let rest = second.work_off().await;
    let chunks = rest.len() + usize::from(again.is_ok());
    assert_eq!(chunks, (10_000_usize - 300).div_ceil(CHUNK), "none of the 300 runs again");
    assert_eq!(
        output(&rest[rest.len() - 1]),
        json!({ "listings": 10_000, "new": 10_000, "known": 0, "left_out": 0 })
    );
    assert_eq!(count(&second).await.by_state[&RowState::Pending], 10_000);
}

#[tokio::test]
async fn the_next_list_passes_on_what_is_new_and_what_is_the_same_page_is_known() {
    let dir = tempfile::tempdir().unwrap();
    let receiver = Receiver::start(&dir.path().join("catalogue")).unwrap();
    let catalogue = Envelope::new(receiver.url("/any/listings"));
    let host = HostBuilder::new(dir.path())
        .step("listing_scraper")
        .also("listings", Tier::Key, catalogue)
        .start()
        .await;
    let monday = listings(3);
    host.done(SCRAPER, &event("1", &page("monday", &monday))).await;
    let mut tuesday = vec![
        json!({ "url": "https://HOMES.example/l/1?utm_source=mail&gclid=7#photos", "title": "Home 1, reduced" }),
        json!({ "url": "https://homes.example/l/9", "title": "Home 9" }),
        json!({ "url": "https://homes.example/l/9?fbclid=x", "title": "Home 9" }),
    ];
    let told = host.done(SCRAPER, &event("2", &page("tuesday", &tuesday))).await;
    assert_eq!(told, json!({ "listings": 3, "new": 1, "known": 2, "left_out": 0 }));
    tuesday.push(json!({ "url": format!("https://homes.example/{}", "x".repeat(600)) }));
    let flagged = host.ran(SCRAPER, &event("3", &page("wednesday", &tuesday))).await;
    let End::Done { needs_review: Some(reason), .. } = &flagged.end else { panic!("{:?}", flagged.end) };
    assert!(reason.contains("1 listings"), "{reason}");

    host.deliver_off().await;
    let found = received(&receiver, "listings").await;
    let urls: BTreeSet<&str> = found.iter().filter_map(|row| row["url"].as_str()).collect();
    let wanted = [0, 1, 2, 9].map(|n| format!("https://homes.example/l/{n}"));
    assert_eq!(urls, wanted.iter().map(String::as_str).collect());
    assert_eq!(found.len(), 4);
}

#[tokio::test]
async fn the_same_list_under_another_run_and_with_other_tracking_is_the_same_work() {
    let dir = tempfile::tempdir().unwrap();
    let host = host(dir.path()).await;
    host.done(SCRAPER, &event("1", &page("run-1", &listings(2)))).await;
    let tagged = json!([
        { "title": "Home 0", "url": "https://homes.example/l/0?utm_campaign=spring" },
        { "title": "Home 1", "url": "https://homes.example/l/1#top" },
    ]);
    host.answered(SCRAPER, &event("2", &page("run-2", tagged.as_array().unwrap()))).await;
}

#[tokio::test]
async fn listings_that_another_run_holds_are_not_passed_by() {
    let dir = tempfile::tempdir().unwrap();
    let host = host(dir.path()).await;
    let slow =
        host.hold(SCRAPER, &event("1", &page("run-1", &listings(3)))).await.run(&host.dispatcher).await;
    let other = host.ran(SCRAPER, &event("2", &page("run-2", &listings(4)))).await;
    let End::Retried { cause, due_in_ms } = &other.end else { panic!("{:?}", other.end) };
    assert!(cause.contains("another run") && *due_in_ms >= 5_000, "{cause}, in {due_in_ms} ms");
    // The slow one is lost, and what it held is free again.
    drop(slow);
    host.pass(3_600_000).await;
    let ended = host.work_off().await;
    // Both run at once, so the one may meet the other once more.
    let done = ended.iter().filter(|ended| matches!(ended.end, End::Done { .. }));
    let new: Vec<u64> = done.map(|ended| output(ended)["new"].as_u64().unwrap()).collect();
    assert_eq!((new.len(), new.iter().sum()), (2, 4_u64), "each listing once, by whichever run: {ended:?}");
}
