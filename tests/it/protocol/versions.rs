//! A step in its second version, beside works of its first.

use crate::protocol::case;
use crate::protocol::enqueuer;
use crate::protocol::receiver;
use crate::protocol::with_rows;
use onceward::store::claim::{Repeat, Standing};
use onceward::store::operate::Actor;
use onceward::store::reprocess::Reprocessed;
use onceward::store::work::{WorkRecord, WorkRef};
use std::path::Path;
use support::host::HostBuilder;
use support::host::NAMESPACE;
use support::host::TestHost;
use support::receiver::Receiver;

/// The host goes on with the second version.
async fn raised(dir: &Path, receiver: &Receiver, host: TestHost) -> TestHost {
    let (clock, oracle) = host.end().await;
    let builder = HostBuilder::new(dir).step("enqueues_raised").crm_at(&receiver.url("/deals"));
    builder.doors_of(&clock, &oracle).start().await
}

async fn reprocess(host: &TestHost, work: &WorkRecord) -> Reprocessed {
    let work = WorkRef { namespace: NAMESPACE.to_owned(), id: work.work_id };
    let actor = Actor { name: "Noor".to_owned(), reason: "the new version".to_owned(), action: None };
    host.dispatcher.reprocess(work, actor).await.expect("the old event can be read")
}

#[tokio::test]
async fn a_raised_version_runs_old_events_when_asked_and_sends_nothing_again() {
    let dir = tempfile::tempdir().unwrap();
    let receiver = receiver(dir.path());
    let host = with_rows(enqueuer(dir.path(), &receiver), &["a", "b"]).await;
    host.deliver_off().await;
    let old = host.works().await;
    assert_eq!(reprocess(&host, &old[0]).await, Reprocessed::NotRaised { version: 1 });

    let host = raised(dir.path(), &receiver, host).await;
    // A redelivery is no new work, although the second version takes its identity from elsewhere.
    assert!(matches!(host.answered("enqueues", &case("a")).await.standing, Standing::Done(_)));
    assert!(host.work_off().await.is_empty());
    let Reprocessed::Applied { id } = reprocess(&host, &old[0]).await else { panic!("it is refused") };
    assert_eq!(host.work_off().await.len(), 1);
    assert_eq!(reprocess(&host, &old[0]).await, Reprocessed::Already { id });
    host.deliver_off().await;
    let counts = receiver.counts().await.unwrap();
    assert_eq!((counts.requests, counts.created), (2, 2), "one for each event, long ago");
    let answered = host.answered("enqueues", &case("a")).await;
    assert_eq!(answered.work.id, id);
    let Standing::Done(Repeat::Original { output, .. }) = answered.standing else { panic!("{answered:?}") };
    assert!(output.contains(r#""version":2"#), "{output}");
    assert!(host.work(id).await.readable_key.starts_with("enqueues:v2:"));
    let Standing::Done(Repeat::Original { output, .. }) =
        host.answered("enqueues", &case("b")).await.standing
    else {
        panic!("it is done")
    };
    assert!(!output.contains("version"), "nobody asked for this one: {output}");
}
