//! The demo keeps its word.

use std::process::Command;
use support::paths;

#[test]
fn the_demo_ends_with_two_deals_two_model_calls_none_lost_and_none_twice() {
    let dir = tempfile::tempdir().expect("a temporary folder");
    let output = Command::new(paths::binary("onceward-demo"))
        .arg(dir.path().join("demo"))
        .output()
        .expect("it starts");
    let told = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success(), "{told}{}", String::from_utf8_lossy(&output.stderr));
    assert_eq!(told.lines().last(), Some("deals 2, model calls 2, lost 0, twice 0"), "{told}");
}
