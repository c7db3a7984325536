//! Scenarios from the field, through the service.

use crate::service::served::check;
use serde_json::{Value, json};
use std::path::PathBuf;
use std::time::{Duration, Instant};
use support::paths;
use support::receiver::Receiver;
use support::receiver::evidence;
use support::service::Service;
use support::workspace::Workspace;
use tempfile::TempDir;

/// How long something may take to come about. It is looked at again and again until then.
const PATIENCE: Duration = Duration::from_secs(120);

/// A host whose step puts the rows that its events describe into the outbox for a receiver.
struct Stage {
    host: Service,
    workspace: Workspace,
    receiver: Receiver,
    receiver_dir: PathBuf,
    _dir: TempDir,
}

impl Stage {
    /// `more` are further lines of the destination.
    fn new(more: &str) -> Self {
        let dir = tempfile::tempdir().expect("a temporary folder");
        let receiver_dir = dir.path().join("receiver");
        let receiver = Receiver::start(&receiver_dir).expect("a receiver");
        let config = format!(
            "[runtime]\ncache_dir = {:?}\n[[step]]\nplugin = {:?}\ndestinations = [\"crm\"]\n\
             [source.shop]\nkind = \"json\"\nopen = true\nid = {{ pointer = \"/id\" }}\n\
             [destination.crm]\nkind = \"http\"\nurl = \"{}\"\ntier = \"key\"\nreference = \"/id\"\n\
             retry = {{ base_ms = 20, ceiling_ms = 200, attempts_max = 1000 }}\n{more}\n",
            paths::compile_cache().display().to_string(),
            paths::step("enqueues_as").display().to_string(),
            receiver.url("/any/messages"),
        );
        let workspace = Workspace::with_config(&dir.path().join("host"), &config).expect("a workspace");
        Self { host: Service::start(&workspace), workspace, receiver, receiver_dir, _dir: dir }
    }

    fn send(&self, id: &str, row: &Value) {
        let event = json!({ "id": id, "rows": [row] });
        check(&self.host.post("/v1/sources/shop/events", &event), 202, "accepted");
    }

    fn until_rows(&self, state: &str, number: usize) {
        let begun = Instant::now();
        while self.host.rows(state) != number {
            assert!(
                begun.elapsed() < PATIENCE,
                "there are {} rows {state}, and not {number}",
                self.host.rows(state)
            );
        }
    }

    fn arrived(&self) -> Vec<Value> {
        let rows = evidence::deals(&self.receiver_dir).expect("the receiver's file");
        rows.into_iter().map(|row| serde_json::from_str(&row.body).expect("JSON")).collect()
    }
}

const LOCAL: &str = "allow_private_addresses = true\nconnect_timeout_ms = 1000\nrequest_timeout_ms = 1000";

#[test]
fn s09_a_host_that_dies_over_the_head_of_a_line_keeps_its_order() {
    let mut stage = Stage::new(LOCAL);
    // The first of the line meets a receiver that says nothing, and there the host dies.
    stage.receiver.fault(&["hang:60000"]).expect("a fault");
    for number in 0..4 {
        let row = json!({ "slot": "message", "body": { "number": number }, "ordering_key": "ada" });
        stage.send(&format!("m{number}"), &row);
        // The line is in the order in which rows are committed, and two works may come to their end the other way round.
        match number {
            0 => stage.until_rows("sending", 1),
            behind => stage.until_rows("pending", behind),
        }
    }
    stage.host.kill();
    stage.host = Service::start(&stage.workspace);
    stage.until_rows("sent", 4);
    let numbers: Vec<Value> = stage.arrived().into_iter().map(|body| body["number"].clone()).collect();
    assert_eq!(numbers, [0, 1, 2, 3].map(|number| json!(number)));
}

#[test]
fn s17_every_form_of_retry_after_is_taken_or_left_and_never_a_hot_loop() {
    // The breaker would have its own say about ten refusals in a row.
    let stage = Stage::new(&format!("{LOCAL}\nbreaker = {{ failures = 0 }}"));
    let forms = ["0", "1", "Fri, 31 Dec 1999 23:59:59 GMT", "inf", "soon", "-1", "1.5", "NaN", "", "0x10"];
    let faults = forms.map(|form| format!("status:429:retry-after={form}"));
    stage.receiver.fault(&faults.each_ref().map(String::as_str)).expect("faults");
    stage.send("m1", &json!({ "slot": "message", "body": { "number": 1 } }));
    stage.until_rows("sent", 1);
    let counts = evidence::counts(&stage.receiver_dir).expect("the receiver's file");
    assert_eq!(counts.requests, forms.len() as u64 + 1, "one request an answer, and no more: {counts:?}");
    assert_eq!(counts.created, 1);
    // Ten to the thirtieth seconds are a day at most, so that the row waits, and the host goes on.
    stage.receiver.fault(&["status:429:retry-after=1000000000000000000000000000000"]).expect("a fault");
    stage.send("m2", &json!({ "slot": "message", "body": { "number": 2 } }));
    stage.until_rows("pending", 1);
    assert_eq!(stage.host.get("/readyz").status(), Some(200));
}

#[test]
fn s22_a_storm_of_redelivered_messages_says_nothing_twice() {
    let more = format!("{LOCAL}\nsame_text = {{ recipient = \"/to\", text = \"/text\", within_hours = 24 }}");
    let stage = Stage::new(&more);
    // Each message comes under many ids: the queue before the host has lost its memory.
    for number in 0..400 {
        let body = json!({ "to": format!("person-{}", number % 20), "text": "Your parcel is on its way." });
        stage.send(&format!("m{number}"), &json!({ "slot": "message", "body": body }));
    }
    stage.until_rows("sent", 20);
    stage.until_rows("suppressed", 380);
    let mut told: Vec<Value> = stage.arrived().into_iter().map(|body| body["to"].clone()).collect();
    told.sort_by_key(ToString::to_string);
    told.dedup();
    assert_eq!((told.len(), stage.arrived().len()), (20, 20));
}

#[test]
fn s26_no_row_goes_into_a_private_network_and_no_redirect_is_followed() {
    let stage = Stage::new("connect_timeout_ms = 1000\nrequest_timeout_ms = 1000");
    stage.send("m1", &json!({ "slot": "message", "body": { "number": 1 } }));
    let begun = Instant::now();
    let paused = "onceward_pauses{namespace=\"default\"} 1";
    while stage.host.rows("blocked") != 1 && !stage.host.get("/metrics").text().contains(paused) {
        assert!(begun.elapsed() < PATIENCE, "{}", stage.host.get("/metrics").text());
    }
    let counts = evidence::counts(&stage.receiver_dir).expect("the receiver's file");
    assert_eq!(counts.requests, 0, "nothing reached the private address");

    let stage = Stage::new(LOCAL);
    let elsewhere = format!("redirect:{}", stage.receiver.url("/any/elsewhere"));
    stage.receiver.fault(&[elsewhere.as_str()]).expect("a fault");
    stage.send("m1", &json!({ "slot": "message", "body": { "number": 1 } }));
    stage.until_rows("blocked", 1);
    assert_eq!(stage.arrived(), Vec::<Value>::new());
}
