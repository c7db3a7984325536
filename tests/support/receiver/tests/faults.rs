//! What each fault looks like on the wire, and what it leaves written.

use crate::receiver::client;
use crate::receiver::client::Exchange;
use crate::receiver::tests::BODY;
use crate::receiver::tests::counts;
use crate::receiver::tests::post;
use crate::receiver::tests::start;
use crate::receiver::tests::until;

/// Meets one fault, then resends; `status` is `None` where no byte of an answer may come.
fn check(fault: &str, status: Option<u16>, written: bool) -> Exchange {
    let (dir, receiver) = start();
    receiver.fault(&[fault]).unwrap();
    let seen = post(&receiver, "k", BODY);
    assert_eq!(seen.status(), status, "{fault}");
    assert_eq!(seen.bytes.is_empty(), status.is_none(), "{fault}: {seen:?}");
    assert_eq!(seen.reset, fault == "refuse", "{fault}");
    assert_eq!(counts(dir.path()).created, u64::from(written), "{fault}");
    let again = post(&receiver, "k", BODY);
    let expected = if written { 200 } else { 201 };
    assert_eq!(again.status(), Some(expected), "{fault}: {again:?}");
    assert!(again.is_whole(), "{fault}");
    let counts = counts(dir.path());
    assert_eq!((counts.requests, counts.created, counts.bodies), (2, 1, 1), "{fault}");
    seen
}

#[test]
fn a_fault_that_writes_shows_on_the_wire_and_its_resend_is_a_replay() {
    assert!(!check("lose-reply", None, true).is_whole());
    for (fault, status) in
        [("applied-status:500", 500), ("applied-status:408", 408), ("hang:1", 201), ("slow:1", 201)]
    {
        assert!(check(fault, Some(status), true).is_whole(), "{fault}");
    }
    assert_eq!(check("applied-status:204", Some(204), true).body(), b"");
    let big = check("big-receipt:3000000", Some(201), true);
    assert_eq!(big.body().len(), 3_000_000);
    assert_eq!(big.json().unwrap()["id"], "deal-1");
    assert!(check("unreadable-receipt", Some(201), true).json().is_err());
}

#[test]
fn a_cut_reply_has_its_status_line_and_half_its_body() {
    let seen = check("cut-reply", Some(201), true);
    let whole = br#"{"id":"deal-1","kind":"deals"}"#;
    assert_eq!(seen.header("content-length"), Some("30"));
    assert_eq!(seen.body(), &whole[..15]);
    assert!(!seen.is_whole());
}

#[test]
fn a_fault_that_writes_nothing_leaves_the_key_free() {
    check("refuse", None, false);
    for (fault, status) in [("status:503", 503), ("status:401", 401), ("conflict", 422), ("in-progress", 409)]
    {
        assert!(check(fault, Some(status), false).is_whole(), "{fault}");
    }
    let limited = check("status:429:retry-after=Sun Nov  6 08:49:37 1994", Some(429), false);
    assert_eq!(limited.header("retry-after"), Some("Sun Nov  6 08:49:37 1994"));
    let moved = check("redirect:http://127.0.0.1:9/x", Some(307), false);
    assert_eq!(moved.header("location"), Some("http://127.0.0.1:9/x"));
    let conflict = check("conflict", Some(422), false).json().unwrap();
    assert!(conflict["type"].as_str().unwrap().ends_with("/idempotency-key-reused"));
}

#[test]
fn a_refusal_comes_before_the_body_is_read_and_is_counted() {
    let (dir, receiver) = start();
    receiver.fault(&["refuse"]).unwrap();
    let head = b"POST /deals HTTP/1.1\r\nHost: r\r\nIdempotency-Key: k\r\nContent-Length: 9\r\n\r\n";
    let seen = client::exchange(receiver.address(), head).unwrap();
    assert!(seen.bytes.is_empty() && seen.reset, "{seen:?}");
    let counts = counts(dir.path());
    assert_eq!((counts.requests, counts.refused, counts.bodies), (1, 1, 0));
}

#[test]
fn a_kept_alive_connection_is_cut_at_the_request_that_meets_the_fault() {
    let (dir, receiver) = start();
    post(&receiver, "k", b"{}");
    receiver.fault(&["hang:0", "lose-reply"]).unwrap();
    let one = "POST /deals HTTP/1.1\r\nHost: r\r\nIdempotency-Key: k\r\nContent-Length: 2\r\n\r\n{}";
    let seen = client::exchange(receiver.address(), one.repeat(2).as_bytes()).unwrap();
    assert_eq!(seen.status(), Some(200));
    assert!(seen.is_whole(), "{seen:?}");
    assert_eq!(counts(dir.path()).replayed, 2);
}

#[tokio::test]
async fn a_hanging_reply_has_been_written_and_its_resend_is_a_replay() {
    let (dir, mut receiver) = start();
    receiver.fault(&["hang:3600000"]).unwrap();
    let address = receiver.address();
    let first = std::thread::spawn(move || client::post(address, "/deals", Some("k"), BODY));
    until(dir.path(), |counts| counts.created == 1);
    assert_eq!(post(&receiver, "k", BODY).status(), Some(200));
    receiver.stop().await.unwrap();
    assert_eq!(first.join().unwrap().unwrap().status(), None);
}

#[test]
fn a_slow_write_happens_although_its_client_has_left() {
    let (dir, receiver) = start();
    receiver.fault(&["slow:300"]).unwrap();
    let key = [("Idempotency-Key", "k")];
    let client = client::send_only(receiver.address(), "POST", "/deals", &key, BODY).unwrap();
    until(dir.path(), |counts| counts.requests == 1);
    drop(client);
    until(dir.path(), |counts| counts.created == 1);
}

#[test]
fn faults_are_ordered_over_http_too_and_a_bad_order_changes_nothing() {
    let (_dir, receiver) = start();
    let order = |body: &str| client::post(receiver.address(), "/faults", None, body.as_bytes()).unwrap();
    for body in ["", "{}", r#"{"next":["refuse","bang"]}"#, r#"{"next":[],"last":[]}"#] {
        assert_eq!(order(body).status(), Some(400), "{body}");
    }
    let accepted = order(r#"{"next":["status:418","status:503"]}"#);
    assert_eq!(accepted.json().unwrap()["waiting"], 2);
    let seen = ["a", "b", "c"].map(|key| post(&receiver, key, BODY).status().unwrap());
    assert_eq!(seen, [418, 503, 201]);
}
