//! A host that is gone between two phases, and the next one on the same files: both or neither, and never twice.

use crate::protocol::case;
use crate::protocol::connectors::Dying;
use crate::protocol::connectors::Then;
use crate::protocol::enqueuer;
use crate::protocol::receiver;
use onceward::connectors::Envelope;
use onceward::store::outbox::RowState;
use onceward::store::work::WorkState;
use support::host::TestHost;
use support::receiver::Receiver;

/// Where the first host ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Gone {
    Claimed,
    Ran,
    Settled,
    Taken,
    Answered,
    Recorded,
}

const PHASES: [Gone; 6] =
    [Gone::Claimed, Gone::Ran, Gone::Settled, Gone::Taken, Gone::Answered, Gone::Recorded];

/// Bring one work as far as this phase.
async fn go(host: &TestHost, dying: &Dying, receiver: &mut Receiver, phase: Gone) {
    let held = host.hold("enqueues", &case("a")).await;
    host.pass(0).await;
    if phase == Gone::Claimed {
        return;
    }
    let ran = held.run(&host.dispatcher).await;
    if phase == Gone::Ran {
        return;
    }
    ran.settle(&host.dispatcher).await.expect("the settle commits");
    match phase {
        Gone::Settled | Gone::Claimed | Gone::Ran => {}
        Gone::Taken => {
            // The attempt is counted, and nothing gets there.
            receiver.stop().await.expect("the receiver stops");
            tokio::select! {
                _ = host.deliver() => panic!("the answer never gets here"),
                () = dying.until_answered() => {}
            }
            receiver.restart().await.expect("the receiver starts again");
        }
        Gone::Answered => tokio::select! {
            _ = host.deliver() => panic!("the answer never gets here"),
            () = dying.until_answered() => {}
        },
        Gone::Recorded => {
            host.deliver_off().await;
        }
    }
}

#[tokio::test]
async fn s28_a_host_that_is_gone_in_any_phase_leaves_both_or_neither_and_one_deal_in_the_end() {
    for phase in PHASES {
        let dir = tempfile::tempdir().unwrap();
        let mut receiver = receiver(dir.path());
        let dying = Dying::new(Then::Hang);
        let builder = enqueuer(dir.path(), &receiver);
        let builder = match phase {
            Gone::Recorded => builder,
            _ => builder.crm(Envelope::new(receiver.url("/deals")), dying.clone()),
        };
        let first = builder.start().await;
        go(&first, &dying, &mut receiver, phase).await;
        let (clock, oracle) = first.end().await;

        let second = enqueuer(dir.path(), &receiver).doors_of(&clock, &oracle).start().await;
        let work = second.works().await.remove(0);
        let rows = second.rows().await.len();
        assert_eq!(
            (work.state == WorkState::Done, rows == 1),
            match phase {
                Gone::Claimed | Gone::Ran => (false, false),
                _ => (true, true),
            },
            "{phase:?}"
        );
        second.work_off().await;
        second.deliver_off().await;

        let attempts = if matches!(phase, Gone::Claimed | Gone::Ran) { 2 } else { 1 };
        let work = second.work(work.work_id).await;
        assert_eq!((work.state, work.attempt), (WorkState::Done, attempts), "{phase:?}");
        let row = second.row().await;
        let sends = if matches!(phase, Gone::Taken | Gone::Answered) { 2 } else { 1 };
        assert_eq!((row.state, row.attempt), (RowState::Sent, sends), "{phase:?}");
        let counts = receiver.counts().await.unwrap();
        let replayed = u64::from(phase == Gone::Answered);
        assert_eq!((counts.created, counts.replayed, counts.bodies), (1, replayed, 1), "{phase:?}");
    }
}
