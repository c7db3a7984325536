//! What outlives a crash, a restart and a bad connection.

use crate::receiver::Options;
use crate::receiver::Receiver;
use crate::receiver::client;
use crate::receiver::flaky::Flaky;
use crate::receiver::tests::BODY;
use crate::receiver::tests::counts;
use crate::receiver::tests::post;
use crate::receiver::tests::start;
use crate::receiver::tests::start_with;

#[tokio::test]
async fn a_crash_breaks_every_connection_and_loses_nothing_that_was_counted() {
    for (fault, created, unfinished, resent) in
        [("crash-before-write", 0, 1, 201), ("crash-after-write", 1, 0, 200)]
    {
        let (dir, mut receiver) = start();
        receiver.fault(&[fault, "refuse"]).unwrap();
        let seen = post(&receiver, "k", BODY);
        assert!(seen.bytes.is_empty(), "{fault}: {seen:?}");
        let asked = client::get(receiver.address(), "/counts");
        assert_eq!(asked.ok().and_then(|seen| seen.status()), None, "{fault}");
        let before = receiver.counts().await.unwrap();
        assert_eq!((before.created, before.unfinished), (created, unfinished), "{fault}");
        let address = receiver.address();
        receiver.restart().await.unwrap();
        assert_eq!(receiver.address(), address);
        // The refusal that waited is gone with the crash.
        assert_eq!(post(&receiver, "k", BODY).status(), Some(resent), "{fault}");
        let after = counts(dir.path());
        assert_eq!((after.requests, after.created), (2, 1), "{fault}");
    }
}

#[test]
fn a_directory_has_one_receiver_at_a_time() {
    let (dir, receiver) = start();
    let error = Receiver::start(dir.path()).unwrap_err();
    assert!(error.to_string().contains("another receiver"), "{error:#}");
    drop(receiver);
    Receiver::start(dir.path()).unwrap();
}

#[test]
fn a_client_that_resends_gets_through_a_flaky_receiver_with_one_deal_a_key() {
    let flaky = Some(Flaky { percent: 60, seed: 5 });
    let (dir, receiver) = start_with(Options { flaky, ..Options::default() });
    for key in 0..20 {
        let tries = (0..50).find(|_| {
            let status = post(&receiver, &format!("k{key}"), BODY).status();
            matches!(status, Some(200 | 201))
        });
        assert!(tries.is_some(), "key {key} never got through");
    }
    let counts = counts(dir.path());
    assert_eq!((counts.created, counts.bodies, counts.unfinished), (20, 1, 0));
    assert!(counts.replayed > 0 && counts.refused > 0, "{counts:?}");
}
