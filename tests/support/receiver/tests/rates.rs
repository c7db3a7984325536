//! What a receiver with a rate says to the writes beyond it.

use std::num::NonZeroU32;
use std::time::Duration;
use std::time::Instant;

use crate::receiver::Options;
use crate::receiver::client;
use crate::receiver::tests::BODY;
use crate::receiver::tests::LOOKS;
use crate::receiver::tests::counts;
use crate::receiver::tests::post;
use crate::receiver::tests::start_with;

/// A write that is turned away finds a place a second later; a machine that stands still may need longer.
const FREE_AGAIN_MAX: Duration = Duration::from_secs(20);

#[test]
fn a_write_beyond_the_rate_is_told_to_wait_and_leaves_its_fault_to_the_next() {
    let rate_per_second = NonZeroU32::new(1);
    let (dir, receiver) = start_with(Options { rate_per_second, ..Options::default() });
    // On a machine that stands still each write may come in a second of its own.
    let (before, limited) = (0..LOOKS)
        .map(|n| (n, post(&receiver, &format!("k{n}"), BODY)))
        .find(|(_, seen)| seen.status() != Some(201))
        .expect("the rate was never met");
    assert!(before > 0, "the first write was turned away");
    assert_eq!((limited.status(), limited.header("retry-after")), (Some(429), Some("1")));
    let seen = counts(dir.path());
    let created = u64::try_from(before).unwrap();
    assert_eq!((seen.requests, seen.created, seen.limited, seen.refused), (created + 1, created, 1, 0));
    assert_eq!(seen.bodies, 1);

    receiver.fault(&["status:418"]).unwrap();
    // The place is free a second after the write that took it; a fast machine asks often until then.
    let until = Instant::now() + FREE_AGAIN_MAX;
    let faulted = std::iter::repeat_with(|| client::post(receiver.address(), "/plain/leads", None, BODY))
        .map(|seen| seen.unwrap().status())
        .find(|status| *status != Some(429) || Instant::now() > until);
    assert_eq!(faulted, Some(Some(418)));
    let after = counts(dir.path());
    assert_eq!((after.created, after.refused), (created, 1));
    let asked = client::get(receiver.address(), "/deals").unwrap();
    assert_eq!(asked.status(), Some(200));
}

#[test]
fn as_many_writes_at_once_as_the_rate_says_are_all_let_in() {
    let rate_per_second = NonZeroU32::new(20);
    let (dir, receiver) = start_with(Options { rate_per_second, ..Options::default() });
    std::thread::scope(|scope| {
        for n in 0..20 {
            let receiver = &receiver;
            scope.spawn(move || post(receiver, &format!("k{n}"), BODY));
        }
    });
    let seen = counts(dir.path());
    assert_eq!((seen.created, seen.limited), (20, 0));
}
