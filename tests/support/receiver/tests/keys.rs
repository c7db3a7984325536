//! What a key and a body mean: created, replayed, conflict, in progress, refused.

use crate::receiver::Options;
use crate::receiver::client;
use crate::receiver::evidence;
use crate::receiver::evidence::Counts;
use crate::receiver::tests::BODY;
use crate::receiver::tests::counts;
use crate::receiver::tests::post;
use crate::receiver::tests::start;
use crate::receiver::tests::start_with;
use crate::receiver::tests::until;

#[test]
fn a_resend_of_the_same_bytes_gets_the_first_receipt_again() {
    let (dir, receiver) = start();
    let first = post(&receiver, "k", BODY);
    assert_eq!(first.status(), Some(201));
    assert_eq!(first.body(), br#"{"id":"deal-1","kind":"deals"}"#);
    assert_eq!(first.header("idempotent-replayed"), None);
    let again = post(&receiver, "\"k\"", BODY);
    assert_eq!(again.status(), Some(200));
    assert_eq!(again.body(), first.body());
    assert_eq!(again.header("idempotent-replayed"), Some("true"));
    let counts = counts(dir.path());
    assert_eq!((counts.created, counts.replayed, counts.bodies), (1, 1, 1));
    let deals = evidence::deals(dir.path()).unwrap();
    assert_eq!(deals.len(), 1);
    assert_eq!(deals[0].body.as_bytes(), BODY);
    assert_eq!(deals[0].key.as_deref(), Some("k"));
}

#[test]
fn a_key_with_other_bytes_or_another_kind_is_a_conflict() {
    let (dir, receiver) = start();
    post(&receiver, "k", br#"{"amount":1}"#);
    let address = receiver.address();
    for (path, body) in [("/deals", br#"{"amount":1 }"#.as_slice()), ("/messages", b"{\"amount\":1}")] {
        let seen = client::post(address, path, Some("k"), body).unwrap();
        assert_eq!(seen.status(), Some(422), "{path}");
        assert_eq!(seen.header("content-type"), Some("application/problem+json"));
        let problem = seen.json().unwrap();
        let name = problem["type"].as_str().unwrap();
        assert!(name.ends_with("/idempotency-key-reused"), "{name}");
    }
    let counts = counts(dir.path());
    assert_eq!((counts.created, counts.conflicts, counts.bodies), (1, 2, 2));
}

#[test]
fn a_write_without_a_key_is_refused_unless_keys_are_optional() {
    let (dir, receiver) = start();
    let seen = client::post(receiver.address(), "/deals", None, BODY).unwrap();
    assert_eq!(seen.status(), Some(400));
    assert_eq!(seen.json().unwrap()["title"], "Idempotency-Key is missing");
    assert_eq!(counts(dir.path()).refused, 1);

    let (dir, receiver) = start_with(Options { key_optional: true, ..Options::default() });
    for id in ["deal-1", "deal-2"] {
        let seen = client::post(receiver.address(), "/deals", None, BODY).unwrap();
        assert_eq!(seen.json().unwrap()["id"], id);
    }
    assert_eq!(counts(dir.path()).created, 2);
}

#[test]
fn a_body_that_is_no_json_object_is_refused_and_leaves_the_key_free() {
    let (dir, receiver) = start();
    let bad: [&[u8]; 6] = [b"", b"[]", b"1", b"{", b"{}{}", b"{\"a\":\"\xff\"}"];
    for body in bad {
        assert_eq!(post(&receiver, "k", body).status(), Some(400), "{body:?}");
    }
    assert_eq!(post(&receiver, "k", b"{}").status(), Some(201));
    let counts = counts(dir.path());
    assert_eq!((counts.refused, counts.created), (6, 1));
}

#[test]
fn each_kind_has_its_own_ids_and_is_read_at_its_own_path() {
    let (dir, receiver) = start();
    let address = receiver.address();
    for (path, id) in
        [("/deals", "deal-1"), ("/messages", "message-1"), ("/any/leads", "lead-1"), ("/deals", "deal-2")]
    {
        let seen = client::post(address, path, Some(id), BODY).unwrap();
        assert_eq!(seen.json().unwrap()["id"], id);
    }
    let list = client::get(address, "/deals").unwrap().json().unwrap();
    assert_eq!(list["deals"][1]["id"], "deal-2");
    assert_eq!(list["deals"].as_array().unwrap().len(), 2);
    let lead = client::get(address, "/any/leads/lead-1").unwrap();
    assert_eq!(lead.json().unwrap()["body"]["title"], "Widget");
    let text = String::from_utf8_lossy(lead.body()).into_owned();
    assert!(text.contains(std::str::from_utf8(BODY).unwrap()), "{text}");
    for path in ["/deals/lead-1", "/deals/deal-9", "/elsewhere"] {
        assert_eq!(client::get(address, path).unwrap().status(), Some(404), "{path}");
    }
    let put = client::send(address, "PUT", "/deals", &[], BODY).unwrap();
    assert_eq!(put.status(), Some(405));
    let shown: Counts =
        serde_json::from_value(client::get(address, "/counts").unwrap().json().unwrap()).unwrap();
    assert_eq!(shown, counts(dir.path()));
    assert_eq!((shown.requests, shown.reads, shown.by_kind["deals"]), (4, 4, 2));
}

#[tokio::test]
async fn a_second_request_while_the_first_is_in_work_is_in_progress() {
    let (dir, mut receiver) = start();
    receiver.fault(&["slow:3600000"]).unwrap();
    let address = receiver.address();
    let first = std::thread::spawn(move || client::post(address, "/deals", Some("k"), BODY));
    until(dir.path(), |counts| counts.unfinished == 1);
    let second = post(&receiver, "k", BODY);
    assert_eq!(second.status(), Some(409));
    let problem = second.json().unwrap();
    assert_eq!(problem["title"], "A request is outstanding for this Idempotency-Key");
    assert_eq!(counts(dir.path()).in_progress, 1);
    receiver.restart().await.unwrap();
    assert_eq!(first.join().unwrap().unwrap().status(), None);
    assert_eq!(post(&receiver, "k", BODY).status(), Some(201));
    assert_eq!(counts(dir.path()).unfinished, 1);
}

#[test]
fn twenty_at_once_under_one_key_make_one_deal() {
    let (dir, receiver) = start();
    let statuses: Vec<u16> = std::thread::scope(|scope| {
        let send = || post(&receiver, "k", BODY).status().unwrap();
        let clients: Vec<_> = (0..20).map(|_| scope.spawn(send)).collect();
        clients.into_iter().map(|client| client.join().unwrap()).collect()
    });
    let created = statuses.iter().filter(|status| **status == 201).count();
    assert_eq!(created, 1, "{statuses:?}");
    let counts = counts(dir.path());
    assert_eq!((counts.requests, counts.created, counts.refused), (20, 1, 0));
}
