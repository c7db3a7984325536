//! Tiers 3 and 4: writes that nothing tells apart, and the search that may find them.

use std::time::Duration;
use std::time::Instant;

use crate::receiver::Options;
use crate::receiver::Receiver;
use crate::receiver::client;
use crate::receiver::client::Exchange;
use crate::receiver::evidence;
use crate::receiver::tests::BODY;
use crate::receiver::tests::LOOKS;
use crate::receiver::tests::counts;
use crate::receiver::tests::start;
use crate::receiver::tests::start_with;
use crate::receiver::tests::until;

const BODY_OF_X: &[u8] = br#"{"external_id":"X"}"#;
const SEARCH_FOR_X: &str = "/search/leads?field=/external_id&value=X";

/// A lag that no test sees the end of.
const ONE_HOUR_MS: u64 = 3_600_000;

/// How exactly the receiver's clock says when a row was written.
const CLOCK_STEP_MS: u64 = 1;

fn write(receiver: &Receiver, body: &[u8]) -> Exchange {
    client::post(receiver.address(), "/plain/leads", Some("k"), body).unwrap()
}

fn search(receiver: &Receiver, path: &str) -> Exchange {
    client::get(receiver.address(), path).unwrap()
}

/// The ids a search finds.
fn found(receiver: &Receiver, path: &str) -> Vec<String> {
    let seen = search(receiver, path);
    assert_eq!(seen.status(), Some(200), "{path}");
    let answer = seen.json().unwrap();
    let ids = answer["found"].as_array().unwrap().iter();
    ids.map(|row| row["id"].as_str().unwrap().to_owned()).collect()
}

#[test]
fn every_plain_write_is_another_row_even_under_one_key() {
    let (dir, receiver) = start();
    for id in ["lead-1", "lead-2"] {
        let seen = write(&receiver, BODY);
        assert_eq!((seen.status(), &seen.json().unwrap()["id"]), (Some(201), &id.into()));
    }
    let unkeyed = client::post(receiver.address(), "/plain/leads", None, BODY).unwrap();
    assert_eq!(unkeyed.status(), Some(201));
    let bad_key = client::post(receiver.address(), "/plain/leads", Some("\""), BODY).unwrap();
    assert_eq!(bad_key.status(), Some(201));
    assert_eq!(write(&receiver, b"1").status(), Some(400));
    let counts = counts(dir.path());
    assert_eq!((counts.created, counts.refused, counts.by_kind["leads"]), (4, 1, 4));
    assert!(evidence::deals(dir.path()).unwrap().iter().all(|deal| deal.key.is_none()));
    assert_eq!(search(&receiver, "/plain/leads").status(), Some(405));
    let nowhere = client::post(receiver.address(), "/plain/Leads", None, BODY).unwrap();
    assert_eq!(nowhere.status(), Some(404));
}

#[test]
fn a_second_effect_is_seen_after_a_lost_reply() {
    let (dir, receiver) = start();
    receiver.fault(&["lose-reply"]).unwrap();
    assert_eq!(write(&receiver, BODY_OF_X).status(), None);
    assert_eq!(found(&receiver, SEARCH_FOR_X), ["lead-1"]);
    assert_eq!(write(&receiver, BODY_OF_X).status(), Some(201));
    assert_eq!(found(&receiver, SEARCH_FOR_X), ["lead-1", "lead-2"]);
    let counts = counts(dir.path());
    assert_eq!((counts.by_kind["leads"], counts.bodies, counts.reads), (2, 1, 2));
}

#[test]
fn a_search_finds_the_rows_of_its_kind_that_have_the_value_the_oldest_first() {
    let (_dir, receiver) = start();
    let address = receiver.address();
    assert!(found(&receiver, SEARCH_FOR_X).is_empty());
    for n in 0..11 {
        let value = if n == 5 { "Y" } else { "X" };
        write(&receiver, format!(r#"{{"external_id":"{value}","n":{n}}}"#).as_bytes());
    }
    client::post(address, "/plain/contacts", None, BODY_OF_X).unwrap();
    client::post(address, "/any/leads", Some("k"), BODY_OF_X).unwrap();
    client::send(address, "PUT", "/upsert/leads/X", &[], BODY_OF_X).unwrap();
    let expected: Vec<_> = (1..=13).filter(|n| *n != 6).map(|n| format!("lead-{n}")).collect();
    assert_eq!(found(&receiver, SEARCH_FOR_X), expected);
    assert_eq!(found(&receiver, "/search/leads?value=%59&field=%2Fexternal_id"), ["lead-6"]);
    assert_eq!(found(&receiver, "/search/leads?field=/n&value=10"), ["lead-11"]);
    assert!(found(&receiver, "/search/leads?field=/external_id&value=Z").is_empty());
    assert_eq!(search(&receiver, "/search/leads?field=/external_id").status(), Some(400));
    assert_eq!(search(&receiver, "/search/Leads?field=/n&value=1").status(), Some(404));
    let posted = client::post(address, SEARCH_FOR_X, None, BODY).unwrap();
    assert_eq!(posted.status(), Some(405));
}

#[tokio::test]
async fn a_row_is_found_only_after_the_lag_also_past_a_restart() {
    let dir = tempfile::tempdir().unwrap();
    let options = Options { search_lag_ms: ONE_HOUR_MS, ..Options::default() };
    let mut receiver = Receiver::start_with(dir.path(), options).unwrap();
    write(&receiver, BODY_OF_X);
    assert!(found(&receiver, SEARCH_FOR_X).is_empty());
    receiver.restart().await.unwrap();
    assert!(found(&receiver, SEARCH_FOR_X).is_empty());
    assert_eq!(counts(dir.path()).by_kind["leads"], 1);
    receiver.stop().await.unwrap();
    let receiver = Receiver::start(dir.path()).unwrap();
    assert_eq!(found(&receiver, SEARCH_FOR_X), ["lead-1"]);
}

#[test]
#[allow(clippy::disallowed_methods, reason = "nothing signals that the lag is over")]
fn the_lag_ends_by_itself_and_no_sooner() {
    const LAG_MS: u64 = 200;
    let (_dir, receiver) = start_with(Options { search_lag_ms: LAG_MS, ..Options::default() });
    let before = Instant::now();
    write(&receiver, BODY_OF_X);
    let visible = (0..LOOKS).any(|_| {
        std::thread::sleep(Duration::from_millis(10));
        !found(&receiver, SEARCH_FOR_X).is_empty()
    });
    assert!(visible, "it never came about");
    assert!(before.elapsed() >= Duration::from_millis(LAG_MS - CLOCK_STEP_MS), "{:?}", before.elapsed());
}

#[test]
fn a_fault_of_a_search_meets_the_next_search_and_no_write() {
    let (dir, receiver) = start();
    let faults =
        ["search:status:503:retry-after=7", "search:lose-reply", "search:cut-reply", "search:refuse"];
    receiver.fault(&faults).unwrap();
    assert_eq!(write(&receiver, BODY_OF_X).status(), Some(201));
    let unready = search(&receiver, SEARCH_FOR_X);
    assert_eq!((unready.status(), unready.header("retry-after")), (Some(503), Some("7")));
    let lost = search(&receiver, SEARCH_FOR_X);
    assert!(lost.bytes.is_empty() && !lost.reset, "{lost:?}");
    let cut = search(&receiver, SEARCH_FOR_X);
    assert_eq!((cut.status(), cut.is_whole()), (Some(200), false));
    assert_eq!(cut.body(), br#"{"found":[{"id":"lead-1"}]}"#.split_at(13).0);
    let reset = search(&receiver, SEARCH_FOR_X);
    assert!(reset.bytes.is_empty() && reset.reset, "{reset:?}");
    assert_eq!(found(&receiver, SEARCH_FOR_X), ["lead-1"]);

    receiver
        .fault(&["search:unreadable-receipt", "search:redirect:/x", "search:hang:1", "conflict"])
        .unwrap();
    let unreadable = search(&receiver, SEARCH_FOR_X);
    assert_eq!((unreadable.status(), unreadable.json().is_err()), (Some(200), true));
    let moved = search(&receiver, SEARCH_FOR_X);
    assert_eq!((moved.status(), moved.header("location")), (Some(307), Some("/x")));
    assert_eq!(found(&receiver, SEARCH_FOR_X), ["lead-1"]);
    assert_eq!(write(&receiver, BODY_OF_X).status(), Some(422));
    let counts = counts(dir.path());
    assert_eq!((counts.requests, counts.reads), (2, 8));
}

#[test]
fn a_search_that_hangs_is_counted_and_answers_nobody_who_has_left() {
    let (dir, mut receiver) = start();
    receiver.fault(&["search:hang:3600000"]).unwrap();
    let address = receiver.address();
    let asked = std::thread::spawn(move || client::get(address, SEARCH_FOR_X));
    until(dir.path(), |counts| counts.reads == 1);
    let runtime = tokio::runtime::Runtime::new().unwrap();
    runtime.block_on(receiver.stop()).unwrap();
    assert_eq!(asked.join().unwrap().unwrap().status(), None);
}

#[test]
fn faults_of_searches_are_ordered_over_http_too() {
    let (_dir, receiver) = start();
    let order = |body: &str| client::post(receiver.address(), "/faults", None, body.as_bytes()).unwrap();
    let refused = order(r#"{"next":["search:status:500","search:slow:1"]}"#);
    assert_eq!(refused.status(), Some(400));
    assert!(refused.json().unwrap()["detail"].as_str().unwrap().contains("search:slow:1"));
    assert_eq!(search(&receiver, SEARCH_FOR_X).status(), Some(200));
    let accepted = order(r#"{"next":["search:status:500","lose-reply"]}"#);
    assert_eq!(accepted.json().unwrap()["waiting"], 2);
    assert_eq!(search(&receiver, SEARCH_FOR_X).status(), Some(500));
}
