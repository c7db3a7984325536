//! Many dead letters on the command line.

use crate::dead_letters::fill;
use serde_json::{Value, json};
use std::collections::BTreeSet;
use support::workspace::Workspace;

/// Dead letters of the scenario.
const DEAD: usize = 5_000;

fn replay(host: &Workspace, more: &[&str]) -> (Option<i32>, Value, String) {
    let by = ["--by", "Noor", "--why", "the CRM is repaired", "--json"];
    let output = host.run(&[&["work", "replay", "--all"], more, &by].concat()).expect("it starts");
    let told = serde_json::from_slice(&output.stdout).unwrap_or(Value::Null);
    (output.status.code(), told, String::from_utf8_lossy(&output.stderr).into_owned())
}

/// When the replayed works are due, Unix milliseconds.
fn due(host: &Workspace) -> Vec<i64> {
    let works = host.json(&["work", "list", "--state", "waiting", "--limit", "10000"]).expect("it answers");
    let works = works.as_array().expect("a list");
    let mut due: Vec<i64> = works.iter().filter_map(|work| work["due_ms"].as_i64()).collect();
    due.sort_unstable();
    due
}

#[tokio::test]
async fn s23_five_thousand_dead_letters_are_counted_capped_spread_and_resumed() {
    let dir = tempfile::tempdir().expect("a temporary folder");
    let host = Workspace::with_config(dir.path(), "").expect("a workspace");
    fill(&dir.path().join("onceward.db"), "gone", DEAD, |n| n.to_string()).await;
    let (code, told, _) = replay(&host, &["--dry-run", "--cause", "429"]);
    assert_eq!((code, told), (Some(0), json!({ "dry_run": true, "decided": 0, "left": DEAD })));
    assert!(due(&host).is_empty(), "a dry run changes nothing");
    assert_eq!(replay(&host, &["--dry-run", "--cause", "nothing like it"]).1["left"], 0);

    let capped = ["--limit", "3000", "--every", "100", "--cause", "429"];
    let (code, told, _) = replay(&host, &capped);
    assert_eq!((code, &told["decided"], &told["left"]), (Some(3), &json!(3000), &json!(2000)));
    let first = due(&host);
    let spread = first.windows(2).all(|pair| pair[1] - pair[0] >= 100);
    assert!(first.len() == 3000 && spread, "ten a second, and no more");

    // The same command goes on with the rest, and a third time finds nothing to do.
    let (code, told, _) = replay(&host, &capped);
    assert_eq!((code, &told["decided"], &told["left"]), (Some(0), &json!(2000), &json!(0)));
    let (code, told, _) = replay(&host, &capped);
    assert_eq!((code, &told["decided"]), (Some(0), &json!(0)));
    let works = host.json(&["work", "list", "--limit", "10000"]).expect("it answers");
    let keys: BTreeSet<&str> =
        works.as_array().expect("a list").iter().filter_map(|w| w["work_id"].as_str()).collect();
    assert_eq!(keys.len(), DEAD, "each under its own key");
}

#[test]
fn what_can_not_be_said_of_many_is_refused() {
    let dir = tempfile::tempdir().expect("a temporary folder");
    let host = Workspace::with_config(dir.path(), "").expect("a workspace");
    let by = ["--by", "Noor", "--why", "tidy"];
    for (args, code, said) in [
        (&["work", "replay", "--all", "--state", "done"][..], 1, "dead or review"),
        (&["work", "replay", "--all", "--state", "asleep"], 1, "no state"),
        (&["work", "replay", "abc", "--all"], 2, "cannot be used with"),
        (&["work", "replay", "abc", "--dry-run"], 2, "cannot be used with"),
        (&["outbox", "resolve", "abc", "--as", "again", "--limit", "3"], 2, "cannot be used with"),
        (&["work", "replay"], 2, "WORK"),
        (&["work", "replay", "--all", "--every", "3600001"], 2, "3600000"),
        (&["work", "replay", "--all", "--limit", "0"], 2, "1..=100000"),
        (&["outbox", "resolve", "--all", "--as", "sent"], 1, "one row"),
        (&["outbox", "resolve", "--all", "--as", "again", "--state", "sent"], 1, "blocked or in-doubt"),
    ] {
        let output = host.run(&[args, &by].concat()).expect("it starts");
        let told = String::from_utf8_lossy(&output.stderr);
        assert!(
            output.status.code() == Some(code) && told.contains(said),
            "{args:?} should say {said}: {told}"
        );
    }
}
