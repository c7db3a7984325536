//! What the host says about itself.

use crate::service::served::{Served, check};
use serde_json::{Value, json};
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::TcpListener;
use std::thread;

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

#[test]
fn traces_go_to_the_collector_that_is_named() {
    let collector = TcpListener::bind("127.0.0.1:0").expect("a port");
    let address = collector.local_addr().expect("an address");
    let heard = thread::spawn(move || {
        let (mut stream, _) = collector.accept().expect("somebody connects");
        let mut reader = BufReader::new(stream.try_clone().expect("a stream"));
        let (mut head, mut length) = (String::new(), 0);
        loop {
            let mut line = String::new();
            reader.read_line(&mut line).expect("a head");
            if line.trim().is_empty() {
                break;
            }
            if let Some(value) = line.to_ascii_lowercase().strip_prefix("content-length:") {
                length = value.trim().parse().expect("a length");
            }
            head.push_str(&line);
        }
        let mut body = vec![0; length];
        reader.read_exact(&mut body).expect("a body");
        stream.write_all(b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}").expect("an answer");
        (head, serde_json::from_slice::<Value>(&body).expect("JSON"))
    });
    let more = format!("[telemetry]\ntraces = \"http://{address}/v1/traces\"\n");
    let mut served = Served::new(&[("echo", "")], &more);
    check(&served.invoke("echo", "m1", 30.0, &json!({ "secret-of-the-payload": 1 })), 200, "done");
    // What is not sent yet is sent at the end.
    assert!(served.host.stop().success());
    let (head, spans) = heard.join().expect("the collector has heard something");
    assert!(head.starts_with("POST /v1/traces"), "{head}");
    let text = spans.to_string();
    assert!(spans["resourceSpans"][0].is_object(), "{text}");
    for word in ["onceward", "\"request\"", "\"run\"", "/v1/steps/{step}/invoke"] {
        assert!(text.contains(word), "{word} is not in {text}");
    }
    assert!(!text.contains("secret-of-the-payload"), "a trace holds no payload: {text}");
}
