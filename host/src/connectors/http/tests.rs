//! Each fault on a real socket. The peer is a thread that does one scripted act for each connection.

use super::*;
use crate::connectors::Envelope;
use std::io;
use std::io::Read;
use std::io::Write;
use std::net::IpAddr;
use std::net::TcpListener;
use std::net::TcpStream;
use std::sync::atomic::AtomicUsize;
use std::sync::atomic::Ordering;
use std::sync::mpsc;
use std::time::Duration;

const CREATED: &str = "HTTP/1.1 201 Created\r\nContent-Length: 15\r\n\r\n{\"id\":\"deal-1\"}";

/// What the peer does with one connection.
#[derive(Clone, Copy)]
enum Act {
    /// Reads the request, answers these bytes and keeps the connection open.
    Reply(&'static str),
    /// Reads the request, answers these bytes and closes.
    ReplyAndClose(&'static str),
    /// Answers these bytes without reading and closes.
    Blurt(&'static str),
    /// Reads the request and never answers.
    Hang,
    /// Reads nothing and never answers.
    Ignore,
    /// Answers an endless body.
    Flood,
}

struct Peer {
    port: u16,
    connections: Arc<AtomicUsize>,
    requests: mpsc::Receiver<String>,
}

impl Peer {
    fn url(&self) -> String {
        format!("http://127.0.0.1:{}/deals", self.port)
    }
}

fn peer(acts: &'static [Act]) -> Peer {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    let connections = Arc::new(AtomicUsize::new(0));
    let counted = connections.clone();
    let (sender, requests) = mpsc::channel();
    std::thread::spawn(move || {
        let mut kept = Vec::new();
        for index in 0.. {
            let (mut stream, _) = listener.accept().unwrap();
            counted.fetch_add(1, Ordering::SeqCst);
            // A connection too many is counted and answered, so that a second sending would be seen.
            let act = acts.get(index).copied().unwrap_or(Act::ReplyAndClose(CREATED));
            if !matches!(act, Act::Blurt(_) | Act::Ignore) {
                let _ = sender.send(read_request(&mut stream));
            }
            match act {
                Act::Reply(bytes) | Act::ReplyAndClose(bytes) | Act::Blurt(bytes) => {
                    stream.write_all(bytes.as_bytes()).unwrap_or_default()
                }
                Act::Flood => {
                    let _ = stream.write_all(b"HTTP/1.1 200 OK\r\n\r\n");
                    while stream.write_all(&[b'x'; 4096]).is_ok() {}
                }
                Act::Hang | Act::Ignore => {}
            }
            if matches!(act, Act::Reply(_) | Act::Hang | Act::Ignore) {
                kept.push(stream);
            }
        }
    });
    Peer { port, connections, requests }
}

fn read_request(stream: &mut TcpStream) -> String {
    let mut text = String::new();
    let mut buffer = [0; 4096];
    while !text.ends_with("{\"deal\":1}") {
        let count = stream.read(&mut buffer).unwrap();
        if count == 0 {
            break;
        }
        text.push_str(std::str::from_utf8(&buffer[..count]).unwrap());
    }
    text
}

struct FixedClock;

impl Clock for FixedClock {
    fn now_ms(&self) -> i64 {
        784_111_747_000
    }

    fn random_up_to(&self, ceiling: u64) -> u64 {
        ceiling
    }
}

fn settings() -> HttpSettings {
    HttpSettings {
        allow_private_addresses: true,
        connect_timeout_ms: 2_000,
        request_timeout_ms: 5_000,
        ..HttpSettings::default()
    }
}

fn connector(settings: HttpSettings) -> HttpConnector {
    HttpConnector::new(settings, Arc::new(FixedClock)).unwrap()
}

async fn deliver(connector: &HttpConnector, envelope: &Envelope) -> Answer {
    connector.deliver(Delivery { envelope, key: "k-1", body: b"{\"deal\":1}", maybe_applied: false }).await
}

/// One delivery to a peer that does `act`; the peer must have seen exactly one connection.
async fn answer_to(acts: &'static [Act], settings: HttpSettings) -> Answer {
    let peer = peer(acts);
    let answer = deliver(&connector(settings), &Envelope::new(peer.url())).await;
    assert_eq!(peer.connections.load(Ordering::SeqCst), 1, "sent more than once");
    answer
}

#[tokio::test]
async fn a_request_carries_key_credential_and_body_as_they_are() {
    let peer = peer(&[Act::Reply(CREATED)]);
    let accounts = HashMap::from([("crm".to_owned(), Secret::new("Bearer sk-secret"))]);
    let envelope =
        Envelope { account: Some("crm".into()), reference: Some("/id".into()), ..Envelope::new(peer.url()) };
    let Answer::Accepted(receipt) =
        deliver(&connector(HttpSettings { accounts, ..settings() }), &envelope).await
    else {
        panic!()
    };
    assert_eq!((receipt.status, receipt.reference.as_deref(), receipt.readable), (201, Some("deal-1"), true));
    let request = peer.requests.recv().unwrap();
    for expected in [
        "POST /deals HTTP/1.1\r\n",
        "idempotency-key: k-1\r\n",
        "authorization: Bearer sk-secret\r\n",
        "content-type: application/json\r\n",
    ] {
        assert!(request.contains(expected), "{expected:?} is not in {request:?}");
    }
    assert!(request.ends_with("\r\n\r\n{\"deal\":1}"), "{request:?}");
}

#[tokio::test]
async fn a_lost_reply_is_ambiguous_and_is_not_sent_again() {
    for acts in [
        &[Act::ReplyAndClose("")] as &[_],
        &[Act::ReplyAndClose("HTTP/1.1 20")],
        &[Act::Blurt("")],
        &[Act::ReplyAndClose("nonsense\r\n\r\n")],
    ] {
        assert_eq!(answer_to(acts, settings()).await.class(), "ambiguous");
    }
}

#[tokio::test]
async fn a_reply_cut_short_is_ambiguous_whatever_its_status() {
    for acts in [
        &[Act::ReplyAndClose("HTTP/1.1 201 Created\r\nContent-Length: 15\r\n\r\n{\"id\":")] as &[_],
        &[Act::ReplyAndClose("HTTP/1.1 201 Created\r\nTransfer-Encoding: chunked\r\n\r\n5\r\n{\"id\"\r\n")],
        &[Act::ReplyAndClose("HTTP/1.1 422 No\r\nContent-Length: 15\r\n\r\n{\"id\":")],
    ] {
        let answer = answer_to(acts, settings()).await;
        assert_eq!(answer.class(), "ambiguous");
        assert!(answer.fault().unwrap().status.is_some());
    }
}

#[tokio::test]
async fn a_time_out_after_sending_is_ambiguous() {
    let short = HttpSettings { connect_timeout_ms: 100, request_timeout_ms: 100, ..settings() };
    let answered = tokio::time::timeout(Duration::from_secs(10), answer_to(&[Act::Hang], short)).await;
    assert_eq!(answered.expect("the request's own time-out comes first").class(), "ambiguous");
}

#[tokio::test]
async fn a_refused_connection_and_a_name_that_is_not_found_are_not_applied() {
    let free_port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    let refused =
        deliver(&connector(settings()), &Envelope::new(format!("http://127.0.0.1:{free_port}/"))).await;
    let unknown = deliver(&named(Ok(Vec::new()), true).0, &Envelope::new("http://crm.example/")).await;
    let failed = deliver(&named(Err(()), true).0, &Envelope::new("http://crm.example/")).await;
    for answer in [refused, unknown, failed] {
        assert_eq!(answer.class(), "not-applied", "{answer:?}");
    }
}

#[tokio::test]
async fn tls_that_fails_or_hangs_before_the_request_is_not_applied() {
    for acts in [&[Act::Blurt("HTTP/1.1 400 Bad\r\n\r\n")] as &[_], &[Act::Ignore]] {
        let peer = peer(acts);
        let short = HttpSettings { connect_timeout_ms: 200, ..settings() };
        let answer =
            deliver(&connector(short), &Envelope::new(format!("https://127.0.0.1:{}/", peer.port))).await;
        assert_eq!(answer.class(), "not-applied", "{answer:?}");
    }
}

#[tokio::test]
async fn every_delivery_has_a_connection_of_its_own() {
    let peer = peer(&[Act::Reply(CREATED), Act::Reply(CREATED), Act::Reply(CREATED)]);
    let connector = connector(settings());
    for expected in 1..=3 {
        assert_eq!(deliver(&connector, &Envelope::new(peer.url())).await.class(), "accepted");
        assert_eq!(peer.connections.load(Ordering::SeqCst), expected);
    }
}

#[tokio::test]
async fn s26_a_redirect_is_not_followed() {
    let answer = answer_to(
        &[Act::Reply("HTTP/1.1 307 Moved\r\nLocation: http://169.254.169.254/\r\nContent-Length: 0\r\n\r\n")],
        settings(),
    )
    .await;
    assert_eq!(answer.class(), "permanent");
}

#[tokio::test]
async fn s17_retry_after_is_read_from_the_header() {
    for (acts, expected) in [
        (
            &[Act::Reply("HTTP/1.1 429 Slow\r\nRetry-After: 7\r\nContent-Length: 0\r\n\r\n")] as &[_],
            Some(7_000),
        ),
        (
            &[Act::Reply(
                "HTTP/1.1 429 Slow\r\nRetry-After: Sun, 06 Nov 1994 08:49:37 GMT\r\nContent-Length: 0\r\n\r\n",
            )],
            Some(30_000),
        ),
        (&[Act::Reply("HTTP/1.1 429 Slow\r\nRetry-After: \u{ff}\r\nContent-Length: 0\r\n\r\n")], None),
    ] {
        let answer = answer_to(acts, settings()).await;
        assert_eq!((answer.class(), answer.fault().unwrap().retry_after_ms), ("not-applied", expected));
    }
}

#[tokio::test]
async fn a_receipt_is_read_up_to_the_limit_and_marked() {
    let check = async |acts: &'static [Act], limit: usize, expected: &str, truncated: bool| {
        let answer = answer_to(acts, HttpSettings { receipt_limit_bytes: limit, ..settings() }).await;
        let Answer::Accepted(receipt) = answer else { panic!("{answer:?}") };
        assert_eq!(
            (receipt.body.as_str(), receipt.truncated, receipt.readable),
            (expected, truncated, !truncated)
        );
    };
    check(&[Act::Flood], 10, "xxxxxxxxxx", true).await;
    check(&[Act::Reply(CREATED)], 15, "{\"id\":\"deal-1\"}", false).await;
    check(&[Act::Reply(CREATED)], 14, "{\"id\":\"deal-1\"", true).await;
    check(&[Act::Reply(CREATED)], 0, "", true).await;
}

#[tokio::test]
async fn a_credential_that_is_echoed_reaches_no_answer() {
    let peer = peer(&[
        Act::Reply("HTTP/1.1 401 No\r\nContent-Length: 22\r\n\r\nbad token: sk-secret !!"),
        Act::Reply("HTTP/1.1 200 OK\r\nContent-Length: 13\r\n\r\n{\"t\":\"sk-secret\"}"),
    ]);
    let accounts = HashMap::from([("crm".to_owned(), Secret::new("Bearer sk-secret"))]);
    let connector = connector(HttpSettings { accounts, ..settings() });
    let envelope = Envelope { account: Some("crm".into()), ..Envelope::new(peer.url()) };
    for _ in 0..2 {
        let answer = deliver(&connector, &envelope).await;
        assert!(!format!("{answer:?}").contains("sk-secret"), "{answer:?}");
    }
}

#[tokio::test]
async fn a_credential_goes_out_in_the_header_that_the_receiver_wants() {
    let peer = peer(&[Act::Reply(CREATED)]);
    let accounts = HashMap::from([("crm".to_owned(), Secret::new("sk-secret"))]);
    let connector =
        connector(HttpSettings { accounts, credential_header: "X-Api-Key".to_owned(), ..settings() });
    let envelope = Envelope { account: Some("crm".into()), ..Envelope::new(peer.url()) };
    deliver(&connector, &envelope).await;
    let request = peer.requests.recv().unwrap().to_ascii_lowercase();
    assert!(request.contains("x-api-key: sk-secret\r\n") && !request.contains("authorization"), "{request}");
    let same = Envelope { key_header: "x-api-key".to_owned(), ..envelope };
    let refused = deliver(&connector, &same).await;
    assert!(refused.fault().unwrap().cause.contains("key_header"), "{refused:?}");
}

#[tokio::test]
async fn what_cannot_be_sent_pauses_the_destination_and_never_repeats_the_address() {
    let connector = connector(settings());
    let check = async |envelope: Envelope, key: &str, expected: &str, words: &str| {
        let answer =
            connector.deliver(Delivery { envelope: &envelope, key, body: b"{}", maybe_applied: false }).await;
        let fault = answer.fault().unwrap();
        assert_eq!(answer.class(), expected, "{answer:?}");
        assert!(fault.cause.contains(words) && !fault.cause.contains("t0ken"), "{answer:?}");
    };
    let good = || Envelope::new("http://127.0.0.1:1/");
    check(Envelope::new("/hooks/t0ken"), "k", "misconfigured", "absolute").await;
    check(Envelope::new("ftp://a.example/t0ken"), "k", "misconfigured", "scheme").await;
    check(Envelope::new("https://me:t0ken@a.example/"), "k", "misconfigured", "account").await;
    check(Envelope { key_header: "no header".into(), ..good() }, "k", "misconfigured", "key_header").await;
    check(Envelope { key_header: "Authorization".into(), ..good() }, "k", "misconfigured", "key_header")
        .await;
    check(good(), "a\nb", "misconfigured", "key").await;
    check(Envelope { account: Some("nobody".into()), ..good() }, "k", "unauthorised", "`nobody`").await;
}

/// A name service with one answer, counted.
struct OneAnswer(Result<Vec<IpAddr>, ()>, AtomicUsize);

#[async_trait]
impl Lookup for OneAnswer {
    async fn lookup(&self, _name: &str) -> io::Result<Vec<IpAddr>> {
        self.1.fetch_add(1, Ordering::SeqCst);
        self.0.clone().map_err(|()| io::Error::other("no such name"))
    }
}

fn named(answer: Result<Vec<IpAddr>, ()>, allow_private_addresses: bool) -> (HttpConnector, Arc<OneAnswer>) {
    let lookup = Arc::new(OneAnswer(answer, AtomicUsize::new(0)));
    let settings = HttpSettings { allow_private_addresses, ..settings() };
    (HttpConnector::with_lookup(settings, Arc::new(FixedClock), lookup.clone()).unwrap(), lookup)
}

#[tokio::test]
async fn s26_a_name_is_resolved_once_and_connected_to_where_it_was_checked() {
    let peer = peer(&[Act::Reply(CREATED)]);
    let (connector, lookup) = named(Ok(vec![[127, 0, 0, 1].into()]), true);
    let answer = deliver(&connector, &Envelope::new(format!("http://crm.example:{}/", peer.port))).await;
    assert_eq!(answer.class(), "accepted", "{answer:?}");
    assert_eq!(lookup.1.load(Ordering::SeqCst), 1);
}

#[tokio::test]
async fn s26_a_private_address_is_refused_with_the_remedy_and_never_called() {
    let peer = peer(&[]);
    for host in ["crm.example", "127.0.0.1", "0x7f.1", "2130706433", "[::1]", "[::ffff:127.0.0.1]"] {
        let (connector, _) = named(Ok(vec![[127, 0, 0, 1].into()]), false);
        let answer = deliver(&connector, &Envelope::new(format!("http://{host}:{}/", peer.port))).await;
        assert_eq!(answer.class(), "misconfigured", "{host}: {answer:?}");
        assert!(answer.fault().unwrap().cause.contains("allow_private_addresses"), "{host}: {answer:?}");
    }
    assert_eq!(peer.connections.load(Ordering::SeqCst), 0);
}

#[test]
fn settings_that_cannot_work_are_refused_by_name_and_without_the_secret() {
    let accounts = HashMap::from([("crm".to_owned(), Secret::new("Bearer sk\nsecret"))]);
    for (settings, words) in [
        (HttpSettings { accounts, ..settings() }, "`crm`"),
        (HttpSettings { credential_header: "Host".to_owned(), ..settings() }, "\"Host\""),
        (HttpSettings { credential_header: "no header".to_owned(), ..settings() }, "\"no header\""),
        (HttpSettings { connect_timeout_ms: 0, ..settings() }, "`connect_timeout_ms`"),
        (HttpSettings { request_timeout_ms: 0, ..settings() }, "`request_timeout_ms`"),
    ] {
        let error = HttpConnector::new(settings, Arc::new(FixedClock)).err().unwrap().to_string();
        assert!(error.contains(words) && !error.contains("secret"), "{error}");
    }
}
