//! The demo keeps its word, and the README shows what it says.

use std::path::Path;
use std::process::Command;
use support::paths;

#[test]
fn the_demo_ends_with_two_deals_two_replies_two_model_calls_none_lost_and_none_twice() {
    let dir = tempfile::tempdir().expect("a temporary folder");
    let output = Command::new(paths::binary("onceward-demo"))
        .arg(dir.path().join("demo"))
        .output()
        .expect("it starts");
    let told = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success(), "{told}{}", String::from_utf8_lossy(&output.stderr));
    let last = "deals 2, replies 2, model calls 2, lost 0, twice 0";
    assert_eq!(told.lines().last(), Some(last), "{told}");

    let readme = super::text(&Path::new(env!("CARGO_MANIFEST_DIR")).join("../README.md"));
    let shown = readme.split("```").find(|block| block.contains(last)).expect("the README shows the demo");
    let shown = shown.strip_prefix("text\n").expect("a block of plain text");
    // The README leaves the reasons out.
    let told: Vec<&str> = told.lines().skip(2).collect();
    assert_eq!(shown.lines().count(), told.len(), "{told:#?}");
    for (shown, told) in shown.lines().zip(told) {
        assert!(told.starts_with(shown), "the README says {shown:?}, and the demo {told:?}");
    }
}
