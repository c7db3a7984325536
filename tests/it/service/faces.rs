//! What the host says about itself.

use crate::service::served::{Served, check};
use serde_json::{Value, json};

#[test]
fn the_description_is_the_golden_one_and_the_host_tells_it() {
    let description = onceward::api::router::openapi().to_pretty_json().expect("a description");
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/golden/openapi.json");
    if std::env::var_os("UPDATE").is_some() {
        std::fs::write(path, format!("{description}\n")).expect("the golden file");
    }
    let golden = std::fs::read_to_string(path).unwrap_or_default();
    let changed = "the API has changed: look at it, and run the test with UPDATE=1";
    assert_eq!(golden.trim_end(), description, "{changed}");
    let served = Served::new(&[("echo", "")], "");
    let told = served.host.get("/v1/openapi.json").json().expect("a description");
    let golden: Value = serde_json::from_str(&golden).expect("JSON");
    assert_eq!(told, golden);
}

#[test]
fn the_figures_say_what_happened_and_what_is_true() {
    let served = Served::new(&[("echo", ""), ("traps", "retry = { attempts_max = 1 }")], "");
    check(&served.invoke("echo", "m1", 30.0, &json!({})), 200, "done");
    check(&served.invoke("echo", "m1", 30.0, &json!({})), 200, "replay");
    check(&served.invoke("traps", "m1", 30.0, &json!({})), 409, "dead");
    let answer = served.host.get("/metrics");
    assert_eq!(answer.status(), Some(200));
    let text = answer.text();
    for line in [
        r#"onceward_works{namespace="default",state="done"} 1"#,
        r#"onceward_works{namespace="default",state="dead"} 1"#,
        r#"onceward_runs_total{namespace="default",step="echo",end="done"} 1"#,
        r#"onceward_requests_total{route="/v1/steps/{step}/invoke",status="200",verdict="done"} 1"#,
        r#"onceward_requests_total{route="/v1/steps/{step}/invoke",status="200",verdict="replay"} 1"#,
        r#"onceward_requests_total{route="/v1/steps/{step}/invoke",status="409",verdict="dead"} 1"#,
    ] {
        assert!(text.lines().any(|found| found == line), "{line} is not in:\n{text}");
    }
    assert!(text.contains("onceward_wal_bytes"), "{text}");
}
