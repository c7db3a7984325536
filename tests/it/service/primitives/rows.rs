//! Rows of callers: recorded at once, delivered once.

use crate::service::primitives::{hold, say, served, with};
use crate::service::served::{Served, check};
use serde_json::{Value, json};
use support::paths;
use support::receiver::process::ReceiverProcess;
use tempfile::TempDir;

/// A CRM, and a host that delivers to it and tells it stages.
struct Stage {
    crm: ReceiverProcess,
    dir: TempDir,
    served: Served,
}

impl Stage {
    fn new(lines: &str) -> Self {
        let dir = tempfile::tempdir().expect("a temporary folder");
        let crm = ReceiverProcess::spawn(&paths::binary("onceward-receiver"), dir.path(), &[]);
        let crm = crm.expect("the CRM starts");
        let url = crm.url("/deals");
        let served = served(&format!(
            "[destination.crm]\nkind = \"http\"\nurl = \"{url}\"\ntier = \"key\"\n\
             allow_private_addresses = true\nreference = \"/id\"\n{lines}\n"
        ));
        Self { crm, dir, served }
    }

    /// Wait until the work's row in this slot is in this state.
    fn row(&self, work: &str, slot: &str, state: &str) -> Value {
        loop {
            let whole = self.served.host.get(&format!("/v1/works/{work}")).json().expect("a work");
            let rows = whole["rows"].as_array().cloned().unwrap_or_default();
            if let Some(row) = rows.into_iter().find(|row| row["slot"] == slot && row["state"] == state) {
                return row;
            }
        }
    }

    fn deals(&self) -> usize {
        support::receiver::evidence::deals(self.dir.path()).expect("the CRM's file").len()
    }
}

fn deal(payload: &Value) -> Value {
    json!({ "destination": "crm", "slot": "deal", "payload": payload })
}

#[test]
fn a_row_goes_out_once_however_often_and_at_whichever_attempt_it_is_said() {
    let stage = Stage::new("");
    let first = hold(&stage.served, "9", &json!({}));
    let body = check(&first.say(&stage.served, "enqueue", &deal(&json!({ "total": 1 }))), 200, "enqueued");
    // Other white space and members in another order are the same payload.
    let again = check(&first.say(&stage.served, "enqueue", &deal(&json!({ "total": 1.0 }))), 200, "enqueued");
    assert_eq!(again["row_id"], body["row_id"]);
    // It goes out although the attempt fails, and the next one finds it.
    check(
        &first.say(&stage.served, "release", &json!({ "outcome": { "retry": { "cause": "away" } } })),
        200,
        "applied",
    );
    let row = stage.row(&first.work, "deal", "sent");
    assert_eq!((&row["row_id"], &row["external_reference"].is_string()), (&body["row_id"], &true), "{row}");
    let second = hold(&stage.served, "9", &json!({}));
    let body = check(&second.say(&stage.served, "enqueue", &deal(&json!({ "total": 1 }))), 200, "enqueued");
    assert_eq!(body["state"], "sent");
    let other = second.say(&stage.served, "enqueue", &deal(&json!({ "total": 2 })));
    let conflict = check(&other, 409, "row-conflict");
    assert!(
        conflict["detail"]
            .as_str()
            .is_some_and(|detail| detail.contains(body["row_id"].as_str().unwrap_or("?")))
    );
    let raised = with(&deal(&json!({ "total": 2 })), &json!({ "effect_version": 2 }));
    let raised = check(&second.say(&stage.served, "enqueue", &raised), 200, "enqueued");
    assert_ne!(raised["row_id"], body["row_id"], "another version is another effect");
    while stage.deals() < 2 {}
    let counts = stage.crm.counts().expect("the CRM's file");
    assert!(counts.bodies <= 1 && counts.conflicts == 0, "{counts:?}");
}

#[test]
fn what_the_operator_wants_of_every_row_holds_for_a_callers_too() {
    let stage = Stage::new("hold = true");
    let held = hold(&stage.served, "9", &json!({}));
    let body = check(&held.say(&stage.served, "enqueue", &deal(&json!(1))), 200, "enqueued");
    assert_eq!(body["state"], "held");
    let asked = with(
        &deal(&json!(2)),
        &json!({
            "slot": "reply", "approval": { "reason": "it speaks to a customer", "expires_after_ms": 60_000 },
        }),
    );
    check(&held.say(&stage.served, "enqueue", &asked), 200, "enqueued");
    let row = stage.row(&held.work, "reply", "held");
    assert_eq!(row["approval_reason"], "it speaks to a customer");
    assert!(row["approval_until_ms"].is_i64(), "{row}");
    assert_eq!(stage.deals(), 0);
}

#[test]
fn a_row_that_can_not_be_is_refused_with_the_remedy() {
    let stage = Stage::new("");
    let held = hold(&stage.served, "9", &json!({}));
    for (more, said) in [
        (json!({ "destination": "nowhere" }), "configured are: crm"),
        (json!({ "slot": "" }), "name the effect"),
        (json!({ "slot": "a\u{0}b" }), "U+0000"),
        (json!({ "ordering_key": "" }), "leave it out"),
        (json!({ "effect_version": 0 }), "count from 1"),
        (json!({ "receipt_step": "nobody" }), "receipt step"),
        (json!({ "slot": "s".repeat(513) }), "512 bytes"),
    ] {
        let body = check(&held.say(&stage.served, "enqueue", &with(&deal(&json!(1)), &more)), 422, "invalid");
        let detail = body["detail"].as_str().expect("a detail");
        assert!(detail.contains(said), "{more} should say {said}: {detail}");
    }
}

#[test]
fn a_stage_that_is_reached_is_told_elsewhere_and_one_that_lies_behind_is_not() {
    let stage = Stage::new("[progress]\nmirror = { destination = \"crm\" }");
    let held = hold(&stage.served, "9", &json!({}));
    for (said, verdict, reached) in [
        ("matched", "advanced", "matched"),
        ("matched", "advanced", "matched"),
        ("received", "behind", "matched"),
        ("owned", "advanced", "owned"),
    ] {
        let body = check(&held.say(&stage.served, "advance", &json!({ "stage": said })), 200, verdict);
        assert_eq!(body["stage"], reached);
    }
    for slot in ["progress:matched", "progress:owned"] {
        stage.row(&held.work, slot, "sent");
    }
    assert_eq!(stage.deals(), 2);
    let unknown = say(&stage.served, "advance", &held.said(&json!({ "stage": "lost" })));
    let body = check(&unknown, 422, "invalid");
    assert!(
        body["detail"].as_str().is_some_and(|detail| detail.contains("received, matched, owned, replied"))
    );
}
