//! Bad input over the wire: it is answered 4xx, never 5xx, and the service still serves.

use crate::service::served::{Served, check};
use serde_json::json;
use std::io::{Read, Write};
use std::net::TcpStream;
use std::time::Duration;
use support::receiver::client::Exchange;

const INVOKE: &str = "/v1/steps/echo/invoke";
const EVENTS: &str = "/v1/sources/echo/events";

fn head(path: &str, headers: &str) -> String {
    format!("POST {path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n{headers}\r\n")
}

fn json_head(path: &str, length: usize) -> String {
    head(path, &format!("Content-Type: application/json\r\nContent-Length: {length}\r\n"))
}

fn with_body(path: &str, body: &[u8]) -> Vec<u8> {
    [json_head(path, body.len()).as_bytes(), body].concat()
}

#[track_caller]
fn refused(answer: &Exchange, statuses: &[u16], what: &str) {
    let status = answer.status().unwrap_or(0);
    assert!(statuses.contains(&status), "{what}: {}", answer.text());
}

#[test]
fn bad_bodies_are_refused_and_the_service_still_serves() {
    let served = Served::new(&[("echo", "")], "");
    let deep = format!("{}1{}", "[".repeat(100_000), "]".repeat(100_000));
    let deep_event = format!(r#"{{"source":"a","id":"b","data":{deep}}}"#);
    let bodies: [(&str, &[u8]); 16] = [
        ("nothing", b""),
        ("half", br#"{"source": "a", "id": "#),
        ("no JSON", b"hello"),
        ("two documents", b"{} {}"),
        ("an array", b"[]"),
        ("null", b"null"),
        ("NUL bytes", b"\0\0\0\0"),
        ("a NUL in a string", b"{\"source\": \"a\0\", \"data\": 1}"),
        ("an escaped NUL in the key", br#"{"id": "a\u0000", "source": "a\u0000", "data": 1}"#),
        ("invalid UTF-8", b"{\"source\": \"\xff\xfe\", \"data\": 1}"),
        ("a lone surrogate", br#"{"source": "a", "id": "b", "data": "\ud800"}"#),
        ("a doubled member", br#"{"source": "a", "source": "b", "id": "c", "data": {"x": 1}}"#),
        ("a huge integer", br#"{"source": "a", "id": "b", "data": 123456789012345678901234567890}"#),
        ("a huge exponent", br#"{"source": "a", "id": "b", "data": 1e999999}"#),
        ("deep JSON", deep.as_bytes()),
        ("a deep event", deep_event.as_bytes()),
    ];
    for (what, body) in bodies {
        for path in [INVOKE, EVENTS] {
            refused(&served.host.send_bytes(&with_body(path, body)), &[400, 413, 422], what);
        }
    }
    check(&served.invoke("echo", "after", 30.0, &json!({})), 200, "done");
}

#[test]
fn bad_heads_are_refused_and_the_service_still_serves() {
    let served = Served::new(&[("echo", "")], "");
    let event = r#"{"source": "a", "id": "b", "data": 1}"#;
    let length = format!("Content-Length: {}\r\n", event.len());
    let raw = |headers: &str, path: &str| format!("{}{event}", head(path, &format!("{length}{headers}")));
    for path in [INVOKE, EVENTS] {
        for (what, headers, statuses) in [
            ("a wrong type", "Content-Type: text/html\r\n", &[415][..]),
            ("a form", "Content-Type: application/x-www-form-urlencoded\r\n", &[415]),
            ("a type twice", "Content-Type: application/json\r\nContent-Type: text/html\r\n", &[400, 415]),
            ("a type in umlauts", "Content-Type: äpplication/json\r\n", &[400, 415]),
        ] {
            refused(&served.host.send_bytes(raw(headers, path).as_bytes()), statuses, what);
        }
    }
    for (what, bytes) in [
        ("no HTTP", b"hello\r\n\r\n".to_vec()),
        ("no version", b"GET /\r\n\r\n".to_vec()),
        ("TLS", b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03".to_vec()),
        ("a control character in a header", b"GET /healthz HTTP/1.1\r\nHost: x\r\nA: \x01\r\n\r\n".to_vec()),
        ("two lengths", b"POST /v1/steps/echo/invoke HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n{}".to_vec()),
        ("a length that is none", b"POST /v1/steps/echo/invoke HTTP/1.1\r\nHost: x\r\nContent-Length: x\r\n\r\n{}".to_vec()),
        ("many headers", format!("GET /healthz HTTP/1.1\r\nHost: x\r\n{}\r\n", "A: b\r\n".repeat(1_000)).into_bytes()),
        ("a long path", format!("GET /{} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n", "a".repeat(1_000_000)).into_bytes()),
    ] {
        let answer = served.host.send_bytes(&bytes);
        let status = answer.status();
        assert!(status.is_none_or(|status| (400..500).contains(&status)), "{what}: {}", answer.text());
    }
    for (what, request, status) in [
        ("an unknown path", "GET /v2 HTTP/1.1", 404),
        ("a path that climbs", "GET /v1/../../etc/passwd HTTP/1.1", 404),
        ("a broken escape", "GET /v1/works/%ff%fe HTTP/1.1", 401),
        ("another method", "DELETE /v1/works HTTP/1.1", 405),
        ("an unknown method", "BREW /v1/works HTTP/1.1", 405),
        ("no token", "GET /v1/works HTTP/1.1", 401),
        ("a wrong token", "GET /v1/works HTTP/1.1\r\nAuthorization: Bearer nobody", 401),
        ("another scheme", "GET /v1/works HTTP/1.1\r\nAuthorization: Basic YTpi", 401),
        ("two tokens", "GET /v1/works HTTP/1.1\r\nAuthorization: Bearer a\r\nAuthorization: Bearer b", 401),
        ("a token in umlauts", "GET /v1/works HTTP/1.1\r\nAuthorization: Bearer ä", 401),
    ] {
        let bytes = format!("{request}\r\nHost: x\r\nConnection: close\r\n\r\n");
        let answer = served.host.exchange_remotely(bytes.as_bytes());
        assert_eq!(answer.status(), Some(status), "{what}: {}", answer.text());
    }
    for path in ["/v1/works/%ff%fe", "/v1/works?limit=many", "/v1/works?state=nowhere", "/v1/works?unknown=1"]
    {
        check(&served.host.send_locally("GET", path, &[], b""), 400, "bad-request");
    }
    check(&served.invoke("echo", "after", 30.0, &json!({})), 200, "done");
}

#[test]
fn a_hundred_megabytes_are_refused_and_the_sender_hears_it() {
    let served = Served::new(&[("echo", "")], "");
    let body = vec![b' '; 100 * 1024 * 1024];
    for (what, head) in [
        ("announced", json_head(EVENTS, body.len())),
        ("in chunks", head(EVENTS, "Content-Type: application/json\r\nTransfer-Encoding: chunked\r\n")),
    ] {
        let mut stream = TcpStream::connect(served.host.address()).expect("it listens");
        stream.write_all(head.as_bytes()).expect("a head");
        let chunked = what == "in chunks";
        for part in body.chunks(1024 * 1024) {
            let framed = if chunked {
                [format!("{:x}\r\n", part.len()).as_bytes(), part, b"\r\n"].concat()
            } else {
                part.to_vec()
            };
            // The host may have had enough, after a time in which it could have read all of it.
            if stream.write_all(&framed).is_err() {
                break;
            }
        }
        if chunked {
            let _ = stream.write_all(b"0\r\n\r\n");
        }
        let mut answer = Vec::new();
        let _ = stream.read_to_end(&mut answer);
        let answer = String::from_utf8_lossy(&answer);
        assert!(answer.starts_with("HTTP/1.1 413"), "{what}: {answer}");
        assert!(answer.contains("urn:onceward:problem:too-large"), "{what}: {answer}");
    }
    let mut large = json_head(INVOKE, 2 * 1024 * 1024).into_bytes();
    large.extend(vec![b' '; 2 * 1024 * 1024]);
    check(&served.host.send_bytes(&large), 413, "too-large");
    check(&served.invoke("echo", "after", 30.0, &json!({})), 200, "done");
}

#[test]
fn a_slow_sender_holds_up_nobody_and_is_told() {
    let served = Served::new(&[("echo", "")], "[serve]\narrival_timeout_ms = 300\n");
    let mut slow = TcpStream::connect(served.host.address()).expect("it listens");
    slow.set_read_timeout(Some(Duration::from_secs(60))).expect("a limit");
    slow.write_all(json_head(EVENTS, 100).as_bytes()).expect("a head");
    slow.write_all(b"{").expect("a byte");
    let mut slower = TcpStream::connect(served.host.address()).expect("it listens");
    slower.set_read_timeout(Some(Duration::from_secs(60))).expect("a limit");
    slower.write_all(b"POST /v1/sour").expect("a part of a head");
    check(&served.invoke("echo", "meanwhile", 30.0, &json!({})), 200, "done");
    let mut answer = String::new();
    slow.read_to_string(&mut answer).expect("an answer");
    assert!(answer.starts_with("HTTP/1.1 408"), "{answer}");
    assert!(answer.contains("urn:onceward:problem:too-slow"), "{answer}");
    let mut answer = String::new();
    let _ = slower.read_to_string(&mut answer).expect("the connection ends");
    assert!(answer.is_empty() || answer.starts_with("HTTP/1.1 408"), "{answer}");
}

#[test]
fn a_body_that_is_cut_short_records_nothing() {
    let served = Served::new(&[("echo", "")], "");
    let mut cut = TcpStream::connect(served.host.address()).expect("it listens");
    cut.write_all(json_head(EVENTS, 1_000).as_bytes()).expect("a head");
    cut.write_all(br#"{"id": "m1", "total": 1"#).expect("a part");
    cut.shutdown(std::net::Shutdown::Write).expect("the end");
    let mut answer = String::new();
    let _ = cut.read_to_string(&mut answer);
    assert!(answer.is_empty() || answer.starts_with("HTTP/1.1 400"), "{answer}");
    let works = served.host.get("/v1/works").json().expect("a list");
    assert_eq!(works["works"], json!([]));
}
