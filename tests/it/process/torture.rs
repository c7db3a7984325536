//! A short run of `cargo xtask torture`: kills of a serving host while events come in, at each tier.

use support::paths;
use support::torture::{Torture, Until};

/// Where chance begins. A failing run names its seed; put it here to see it again.
const SEED: u64 = 7;

#[test]
fn a_host_that_is_killed_again_and_again_loses_nothing_it_acknowledged_and_does_nothing_twice() {
    assert!(paths::step("every_tier").is_file(), "the step of the torture's own stage");
    let report = Torture { until: Until::Cycles(2), seed: SEED }.run(|_| {}).expect("its parts work");
    assert!(report.offences.is_empty(), "{report}");
    assert!(report.acknowledged > 0 && report.works >= report.acknowledged, "{report}");
    assert!(!report.kills.contains_key("point not met"), "{report}");
}
