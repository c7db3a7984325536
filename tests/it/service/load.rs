//! Many connections at once, with repeats that arrive while the first is being recorded.

use crate::service::served::Served;
use support::load::Load;

#[test]
fn a_load_of_new_events_and_repeats_loses_nothing_and_does_nothing_twice() {
    let served = Served::new(&[("echo", "")], "");
    let load = Load { connections: 64, events: 600, repeats: 3 };
    let outcome = load.send(served.host.address(), "echo").expect("every answer is one of the two");
    assert_eq!((outcome.accepted, outcome.duplicates), (600, 1_200));
    let finished = r#"onceward_works{namespace="default",state="done"} 600"#;
    // Accepted work finishes by itself; the test's own limit ends a wait in vain.
    while !served.host.get("/metrics").text().lines().any(|line| line == finished) {}
}
