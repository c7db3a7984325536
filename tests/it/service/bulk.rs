//! Many dead letters over HTTP.

use crate::dead_letters::fill;
use crate::service::served::check;
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::thread;
use std::time::{Duration, Instant};
use support::paths;
use support::receiver::client::Exchange;
use support::receiver::process::ReceiverProcess;
use support::service::Service;
use support::workspace::Workspace;

/// Dead letters of the scenario.
const DEAD: usize = 5_000;

/// Apart from each other, in milliseconds: ten a second.
const EVERY_MS: i64 = 100;

/// All works of this state, page by page.
fn works(service: &Service, state: &str) -> Vec<Value> {
    let mut all = Vec::new();
    let mut before = String::new();
    loop {
        let path = format!("/v1/works?state={state}&limit=1000{before}");
        let mut page = service.send_locally("GET", &path, &[], b"").json().expect("a list");
        all.append(page["works"].as_array_mut().expect("works"));
        let Some(next) = page["next"].as_str() else { return all };
        before = format!("&before={next}");
    }
}

/// When the replayed works are due, in order.
fn due(service: &Service) -> Vec<i64> {
    let mut due: Vec<i64> =
        works(service, "waiting").iter().filter_map(|work| work["due_ms"].as_i64()).collect();
    due.sort_unstable();
    due
}

fn asked(more: &Value) -> Vec<u8> {
    let mut body =
        json!({ "by": "Noor", "why": "the CRM is repaired", "cause": "429", "every_ms": EVERY_MS });
    body.as_object_mut().expect("an object").extend(more.as_object().expect("an object").clone());
    body.to_string().into_bytes()
}

fn replay(service: &Service, key: Option<&str>, more: &Value) -> Exchange {
    let key: Vec<_> = key.map(|key| ("Idempotency-Key", key)).into_iter().collect();
    service.send_locally("POST", "/v1/works/replay", &key, &asked(more))
}

#[tokio::test]
async fn s23_five_thousand_dead_letters_are_counted_capped_spread_and_resumed_over_http() {
    let dir = tempfile::tempdir().expect("a temporary folder");
    let host = Workspace::with_config(dir.path(), "").expect("a workspace");
    fill(&dir.path().join("onceward.db"), "gone", DEAD, |n| n.to_string()).await;
    let mut service = Service::start(&host);
    let told = |answer: &Exchange| answer.json().expect("an answer");
    let dry = replay(&service, None, &json!({ "dry_run": true }));
    assert_eq!(told(&dry), json!({ "dry_run": true, "decided": 0, "left": DEAD }));
    assert_eq!(
        told(&replay(&service, None, &json!({ "dry_run": true, "cause": "nothing like it" })))["left"],
        0
    );
    assert_eq!(told(&replay(&service, None, &json!({ "dry_run": true, "step": "another" })))["left"], 0);
    assert!(due(&service).is_empty(), "a dry run changes nothing");

    // The host is killed somewhere in the middle, or before, or after.
    let all = json!({ "limit": 4_500 });
    let leaving =
        service.send_and_leave("POST", "/v1/works/replay", &[("Idempotency-Key", "bulk-1")], &asked(&all));
    while works(&service, "waiting").is_empty() {}
    service.kill();
    drop(leaving);
    let mut service = Service::start(&host);
    let before = due(&service).len();
    assert!(before > 0 && before.is_multiple_of(100), "whole batches: {before}");
    let answer = replay(&service, Some("bulk-1"), &all);
    assert_eq!(
        told(&answer),
        json!({ "dry_run": false, "decided": 4_500, "left": 500 }),
        "{before} were done"
    );
    let spread = due(&service);
    assert_eq!(spread.len(), 4_500);
    let close: Vec<_> = spread.windows(2).filter(|pair| pair[1] - pair[0] < EVERY_MS).collect();
    assert!(close.is_empty(), "ten a second and no more, over the interruption too: {close:?}");
    assert_eq!(told(&replay(&service, Some("bulk-1"), &all))["decided"], 4_500, "a repeat is the same act");
    assert_eq!(due(&service), spread, "and changes nothing");
    check(&replay(&service, Some("bulk-1"), &json!({ "limit": 4_500, "cause": "42" })), 422, "key-reused");
    assert_eq!(
        told(&replay(&service, Some("bulk-2"), &all)),
        json!({ "dry_run": false, "decided": 500, "left": 0 })
    );
    let ids: BTreeSet<String> =
        works(&service, "waiting").iter().map(|work| work["work_id"].to_string()).collect();
    assert_eq!(ids.len(), DEAD, "each under its own key");
    assert!(service.stop().success());
}

#[tokio::test]
async fn s23_replayed_works_reach_a_receiver_that_allows_few_a_second_once_each() {
    const LETTERS: usize = 60;
    let dir = tempfile::tempdir().expect("a temporary folder");
    let crm_dir = dir.path().join("crm");
    std::fs::create_dir_all(&crm_dir).expect("a folder for the CRM");
    let crm = ReceiverProcess::spawn(&paths::binary("onceward-receiver"), &crm_dir, &["--rate", "20"])
        .expect("the CRM starts");
    let config = format!(
        "[runtime]\ncache_dir = {:?}\n[[step]]\nplugin = {:?}\ndestinations = [\"crm\"]\n\
         [destination.crm]\nkind = \"http\"\nurl = \"{}\"\ntier = \"key\"\nreference = \"/id\"\n\
         allow_private_addresses = true\nretry = {{ base_ms = 20, ceiling_ms = 200, attempts_max = 100 }}\n",
        paths::compile_cache().display().to_string(),
        paths::step("enqueues").display().to_string(),
        crm.url("/deals")
    );
    let host = Workspace::with_config(&dir.path().join("host"), &config).expect("a workspace");
    let payload = |n: usize| json!({ "deal": { "title": n.to_string() } }).to_string();
    fill(&host.dir().join("onceward.db"), "enqueues", LETTERS, payload).await;
    let service = Service::start(&host);
    let told = replay(&service, Some("bulk"), &json!({ "every_ms": 20 })).json().expect("an answer");
    assert_eq!(told, json!({ "dry_run": false, "decided": LETTERS, "left": 0 }));
    let until = Instant::now() + Duration::from_secs(120);
    while crm.deals().expect("the CRM's file").len() < LETTERS {
        assert!(Instant::now() < until, "{:?}", crm.counts());
        thread::yield_now();
    }
    assert_eq!(works(&service, "done").len(), LETTERS);
    let counts = crm.counts().expect("the CRM's file");
    assert_eq!((counts.created, counts.conflicts), (LETTERS as u64, 0), "{counts:?}");
    let titles: BTreeSet<String> =
        crm.deals().expect("the CRM's file").into_iter().map(|deal| deal.body).collect();
    assert_eq!(titles.len(), LETTERS, "each once");
}
