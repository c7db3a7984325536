//! Tier 2: a value of a natural field stands for one row, whatever comes and however often.

use crate::receiver::Receiver;
use crate::receiver::client;
use crate::receiver::client::Exchange;
use crate::receiver::evidence;
use crate::receiver::tests::BODY;
use crate::receiver::tests::counts;
use crate::receiver::tests::start;
use crate::receiver::tests::until;

const PATH: &str = "/upsert/leads/a%40example.com";

fn put(receiver: &Receiver, path: &str, body: &[u8]) -> Exchange {
    client::send(receiver.address(), "PUT", path, &[("Idempotency-Key", "k")], body).unwrap()
}

#[test]
fn a_value_has_one_row_with_the_body_that_came_last() {
    let (dir, receiver) = start();
    let first = put(&receiver, PATH, b"{\"n\":1}");
    assert_eq!(first.status(), Some(201));
    assert_eq!(first.body(), br#"{"id":"lead-1","kind":"leads"}"#);
    for body in [b"{\"n\":1}", b"{\"n\":2}", b"{\"n\":2}", b"{\"n\":1}"] {
        let again = put(&receiver, PATH, body);
        assert_eq!(again.status(), Some(200));
        assert_eq!(again.body(), first.body());
        assert_eq!(evidence::deals(dir.path()).unwrap()[0].body.as_bytes(), body);
    }
    let counts = counts(dir.path());
    assert_eq!((counts.requests, counts.created, counts.replaced, counts.replayed), (5, 1, 2, 2));
    let deals = evidence::deals(dir.path()).unwrap();
    assert_eq!(deals.len(), 1);
    assert_eq!((deals[0].key.as_deref(), deals[0].value.as_deref()), (None, Some("a@example.com")));
    let shown = client::get(receiver.address(), "/any/leads/lead-1").unwrap().json().unwrap();
    assert_eq!((&shown["value"], &shown["body"]["n"]), (&"a@example.com".into(), &1.into()));
}

#[test]
fn another_kind_or_another_value_is_another_row() {
    let (dir, receiver) = start();
    for (path, status) in [
        ("/upsert/leads/a", 201),
        ("/upsert/leads/A", 201),
        ("/upsert/leads/a%2Fb", 201),
        ("/upsert/contacts/a", 201),
        ("/upsert/leads/%61", 200),
        ("/upsert/leads/a%2fb", 200),
    ] {
        assert_eq!(put(&receiver, path, BODY).status(), Some(status), "{path}");
    }
    let plain = client::post(receiver.address(), "/plain/leads", None, BODY).unwrap();
    assert_eq!(plain.json().unwrap()["id"], "lead-4");
    let counts = counts(dir.path());
    assert_eq!((counts.by_kind["leads"], counts.by_kind["contacts"], counts.replayed), (4, 1, 2));
}

#[test]
fn what_is_no_upsert_is_refused() {
    let (dir, receiver) = start();
    for (path, status) in [("/upsert/leads", 404), ("/upsert/leads/", 404), ("/upsert/Leads/a", 404)] {
        assert_eq!(put(&receiver, path, BODY).status(), Some(status), "{path}");
    }
    let posted = client::post(receiver.address(), PATH, None, BODY).unwrap();
    assert_eq!(posted.status(), Some(405));
    assert_eq!(counts(dir.path()).requests, 0);
    assert_eq!(put(&receiver, PATH, b"[]").status(), Some(400));
    assert_eq!(counts(dir.path()).refused, 1);
}

#[tokio::test]
async fn a_fault_meets_an_upsert_as_any_write_and_the_row_outlives_it() {
    for (fault, status, written) in [
        ("lose-reply", None, true),
        ("crash-after-write", None, true),
        ("crash-before-write", None, false),
        ("refuse", None, false),
        ("status:503", Some(503), false),
        ("applied-status:500", Some(500), true),
    ] {
        let (dir, mut receiver) = start();
        receiver.fault(&[fault]).unwrap();
        assert_eq!(put(&receiver, PATH, BODY).status(), status, "{fault}");
        assert_eq!(counts(dir.path()).created, u64::from(written), "{fault}");
        receiver.restart().await.unwrap();
        let again = put(&receiver, PATH, BODY);
        assert_eq!(again.status(), Some(if written { 200 } else { 201 }), "{fault}");
        assert_eq!(again.json().unwrap()["id"], "lead-1", "{fault}");
        assert_eq!(counts(dir.path()).created, 1, "{fault}");
    }
}

#[test]
fn a_slow_upsert_overwrites_what_came_while_it_waited() {
    let (dir, receiver) = start();
    receiver.fault(&["slow:300"]).unwrap();
    let old = client::send_only(receiver.address(), "PUT", PATH, &[], b"{\"old\":1}").unwrap();
    until(dir.path(), |counts| counts.unfinished == 1);
    assert_eq!(put(&receiver, PATH, b"{\"new\":1}").status(), Some(201));
    until(dir.path(), |counts| counts.replaced == 1);
    drop(old);
    assert_eq!(evidence::deals(dir.path()).unwrap()[0].body, "{\"old\":1}");
}

#[test]
fn twenty_at_once_on_one_value_make_one_row() {
    let (dir, receiver) = start();
    std::thread::scope(|scope| {
        for n in 0..20 {
            let body = format!("{{\"n\":{n}}}");
            let receiver = &receiver;
            scope.spawn(move || put(receiver, PATH, body.as_bytes()));
        }
    });
    let counts = counts(dir.path());
    assert_eq!((counts.created, counts.replaced, counts.by_kind["leads"]), (1, 19, 1));
}
