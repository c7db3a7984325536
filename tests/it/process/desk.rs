//! A person at the command line: rows that wait for a word, and what is stopped.

use serde_json::Value;
use serde_json::json;
use std::path::PathBuf;
use support::paths;
use support::receiver::evidence;
use support::receiver::process::ReceiverProcess;
use support::workspace::Workspace;
use tempfile::TempDir;

/// Who decides, and why.
const NOOR: [&str; 4] = ["--by", "Noor", "--why", "looked at it"];

/// A CRM, and a host whose events describe the rows that go there.
pub(super) struct Desk {
    pub(super) crm: ReceiverProcess,
    pub(super) host: Workspace,
    dir: TempDir,
}

impl Desk {
    /// With more settings of the destination `crm`.
    pub(super) fn new(more: &str) -> Self {
        let dir = tempfile::tempdir().expect("a temporary folder");
        let crm_dir = dir.path().join("crm");
        std::fs::create_dir_all(&crm_dir).expect("a folder for the CRM");
        let crm = ReceiverProcess::spawn(&paths::binary("onceward-receiver"), &crm_dir, &[])
            .expect("the CRM starts");
        let mut config = format!(
            "flow = [\"enqueues-as\"]\n[runtime]\ncache_dir = {:?}\n",
            paths::compile_cache().display()
        );
        for step in ["enqueues_as", "follows_receipt"] {
            let plugin = paths::step(step);
            config
                .push_str(&format!("[[step]]\nplugin = {:?}\ndestinations = [\"crm\"]\n", plugin.display()));
        }
        config.push_str(&format!(
            "[destination.crm]\nkind = \"http\"\nurl = \"{}\"\ntier = \"key\"\nreference = \"/id\"\n\
             allow_private_addresses = true\nretry = {{ base_ms = 20, ceiling_ms = 200 }}\n{more}\n",
            crm.url("/deals")
        ));
        let host = Workspace::with_config(&dir.path().join("host"), &config).expect("a workspace");
        Self { crm, host, dir }
    }

    /// Write an event that makes these rows; its file.
    pub(super) fn rows(&self, id: &str, rows: &Value) -> String {
        let file = format!("{id}.json");
        let event =
            json!({ "source": "test", "id": id, "time": "2026-01-01T10:00:00Z", "data": { "rows": rows } });
        self.host.write(&file, &event.to_string()).expect("an event");
        file
    }

    /// Run an event of one held row; the row's id.
    pub(super) fn held(&self, more: &Value) -> String {
        let mut row = json!({ "slot": "draft", "body": { "text": "Thank you." }, "approval": "it speaks" });
        row.as_object_mut().expect("an object").extend(more.as_object().expect("an object").clone());
        let file = self.rows("draft", &json!([row]));
        self.check(&["run", &file, "--deliver"], 3, &["1 held", "onceward outbox list --state held"]);
        self.only("held")
    }

    /// The id of the only row in this state.
    pub(super) fn only(&self, state: &str) -> String {
        let rows = self.json(&["outbox", "list", "--state", state]);
        let rows = rows.as_array().expect("a list");
        assert_eq!(rows.len(), 1, "{rows:?}");
        rows[0]["row_id"].as_str().expect("an id").to_owned()
    }

    pub(super) fn json(&self, args: &[&str]) -> Value {
        self.host.json(args).expect("the command answers")
    }

    /// The command ends with this code, and says all of this on whichever stream.
    #[track_caller]
    pub(super) fn check(&self, args: &[&str], code: i32, said: &[&str]) -> String {
        let output = self.host.run(args).expect("it starts");
        let told = String::from_utf8_lossy(&output.stdout).into_owned();
        let errors = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(code), "{args:?}\n{told}{errors}");
        let all = format!("{told}{errors}");
        for words in said {
            assert!(all.contains(words), "{args:?} should say {words:?}, but says:\n{all}");
        }
        told
    }

    /// The same, as Noor.
    #[track_caller]
    pub(super) fn noor(&self, args: &[&str], code: i32, said: &[&str]) -> String {
        self.check(&[args, &NOOR[..]].concat(), code, said)
    }

    fn crm_dir(&self) -> PathBuf {
        self.dir.path().join("crm")
    }

    /// The bodies that the CRM has, in order.
    pub(super) fn bodies(&self) -> Vec<Value> {
        let deals = evidence::deals(&self.crm_dir()).expect("the CRM's file");
        deals.iter().map(|deal| serde_json::from_str(&deal.body).expect("JSON")).collect()
    }
}

/// The beginning of an id, as it is printed.
fn short(id: &str) -> &str {
    &id[..12]
}

#[test]
fn a_held_row_goes_out_when_a_person_has_approved_what_was_seen() {
    let desk = Desk::new("");
    let row = desk.held(&json!({}));
    assert!(desk.bodies().is_empty());
    let shown = desk.json(&["outbox", "show", &row]);
    let hash = shown["payload_hash"].as_str().expect("a hash");
    desk.check(&["outbox", "show", &row], 0, &["held", "asked for: it speaks", hash, "not given"]);
    // A hash that is none, another payload, nobody's word.
    desk.noor(&["outbox", "approve", &row, "--hash", "ab12"], 1, &["--hash takes the 64 hexadecimal digits"]);
    let other = "0".repeat(64);
    desk.noor(&["outbox", "approve", &row, "--hash", &other], 1, &[hash, "onceward outbox show"]);
    desk.check(
        &["outbox", "approve", &row, "--by", " ", "--why", "x"],
        1,
        &["--by and --why must say something"],
    );
    desk.check(&["outbox", "approve", &row], 2, &["--by"]);
    desk.check(&["deliver"], 3, &["outbox: 1 held"]);

    desk.noor(&["outbox", "approve", &row, "--hash", hash], 0, &["is approved"]);
    desk.noor(&["outbox", "approve", &row], 0, &["was approved by Noor", "nothing was changed"]);
    let again = desk.json(&["outbox", "approve", &row, "--by", "Sam", "--why", "me too"]);
    assert_eq!((&again["verdict"], &again["approved_by"]), (&json!("already"), &json!("Noor")));
    desk.check(&["deliver"], 0, &["outbox: 1 sent"]);
    desk.noor(&["outbox", "approve", &row], 0, &["was approved by Noor"]);
    assert_eq!(desk.bodies(), [json!({ "text": "Thank you." })]);
}

#[test]
fn an_edit_needs_an_approval_of_its_own_and_the_old_one_names_it() {
    let desk = Desk::new("");
    let first = desk.held(&json!({}));
    desk.host.write("broken.json", "{\"text\":").expect("a file");
    desk.noor(&["outbox", "edit", &first, "--payload", "broken.json"], 1, &["editing", "not usable JSON"]);
    desk.noor(
        &["outbox", "edit", &first, "--payload", "nowhere.json"],
        1,
        &["reading the payload nowhere.json"],
    );
    desk.host.write("same.json", "{ \"text\" : \"Thank you.\" }").expect("a file");
    desk.noor(&["outbox", "edit", &first, "--payload", "same.json"], 0, &["has this payload already"]);
    desk.host.write("new.json", "{\"text\":\"Thank you, Ada.\"}").expect("a file");
    desk.noor(&["outbox", "edit", &first, "--payload", "new.json"], 0, &["is superseded by", "(revision 2)"]);
    let second = desk.only("held");
    for verb in [&["outbox", "approve", &first][..], &["outbox", "edit", &first, "--payload", "new.json"]] {
        desk.noor(verb, 1, &[short(&second)]);
    }
    desk.check(&["deliver"], 3, &["1 held, 1 superseded"]);
    desk.check(&["outbox", "show", &second], 0, &["revision", "not given", "Thank you, Ada."]);
    desk.noor(&["outbox", "approve", &second], 0, &["is approved"]);
    desk.noor(&["outbox", "edit", &second, "--payload", "same.json"], 1, &["is pending", "only a held row"]);
    desk.check(&["deliver"], 0, &["1 sent, 1 superseded"]);
    assert_eq!(desk.bodies(), [json!({ "text": "Thank you, Ada." })]);
    // The step's event comes again: the slot is the person's revision by now, and nothing is enqueued anew.
    desk.check(&["run", "draft.json", "--deliver"], 0, &["done before"]);
    assert_eq!(desk.bodies().len(), 1);
}

#[test]
fn an_approval_that_comes_too_late_is_refused_and_the_next_delivery_cancels_the_row() {
    let desk = Desk::new("");
    let draft = json!([{ "slot": "draft", "body": {}, "approval": "it speaks", "within_s": 0 }]);
    let file = desk.rows("late", &draft);
    desk.check(&["run", &file], 0, &["1 held"]);
    let row = desk.only("held");
    desk.noor(&["outbox", "approve", &row], 1, &["the time for an approval ended at", "next delivery"]);
    desk.host.write("new.json", "{\"text\":\"late\"}").expect("a file");
    desk.noor(&["outbox", "edit", &row, "--payload", "new.json"], 1, &["the time for an approval ended at"]);
    desk.check(&["deliver"], 0, &["outbox: 1 cancelled"]);
    desk.noor(&["outbox", "approve", &row], 1, &["is cancelled", "waits for no approval"]);
    assert!(desk.bodies().is_empty());
}

#[test]
fn a_row_that_has_not_gone_out_can_be_cancelled_once() {
    let desk = Desk::new("");
    let row = desk.held(&json!({}));
    desk.noor(&["outbox", "cancel", &row], 0, &["is cancelled now"]);
    desk.noor(&["outbox", "cancel", &row], 1, &["is cancelled", "nothing was changed"]);
    desk.noor(&["outbox", "cancel", "ffff"], 1, &["no row has the id \"ffff\"", "onceward outbox list"]);
    desk.check(&["deliver"], 0, &["outbox: 1 cancelled"]);
    let evidence = desk.json(&["work", "show", "enqueues-as:v1:test:draft"])["evidence"].to_string();
    assert!(evidence.contains("Noor says: looked at it"), "{evidence}");
    assert!(desk.bodies().is_empty());
}

#[test]
fn a_list_says_who_is_behind_whom_and_who_says_the_same() {
    let desk = Desk::new("same_text = { recipient = \"/to\", text = \"/text\" }");
    let file = desk.rows(
        "line",
        &json!([
            { "slot": "1", "body": { "to": "ada", "text": "one" }, "ordering_key": "ada", "approval": "it speaks" },
            { "slot": "2", "body": { "to": "ada", "text": "two" }, "ordering_key": "ada" },
            { "slot": "3", "body": { "to": "ada", "text": " two " }, "ordering_key": "ada" },
        ]),
    );
    desk.check(&["run", &file, "--deliver", "--wait", "1"], 3, &["1 held, 1 suppressed, 1 pending"]);
    let (head, next) = (desk.only("held"), desk.only("pending"));
    let behind = format!("pending, behind {}", short(&head));
    desk.check(&["outbox", "list"], 0, &[&behind, &format!("suppressed by {}", short(&next))]);
    desk.check(&["outbox", "show", &next], 0, &[&behind, "order", "ada"]);
    assert_eq!(desk.json(&["outbox", "show", &next])["behind"], json!(head));
    desk.noor(&["outbox", "approve", &head], 0, &[]);
    desk.check(&["deliver"], 0, &["1 suppressed, 2 sent"]);
    let texts: Vec<_> = desk.bodies().iter().map(|body| body["text"].clone()).collect();
    assert_eq!(texts, [json!("one"), json!("two")]);
}

#[test]
fn what_is_paused_records_events_and_goes_on_where_it_stood() {
    for scope in [&["step", "enqueues-as"][..], &["namespace"], &["everything"]] {
        let desk = Desk::new("");
        let before = desk.rows("before", &json!([{ "slot": "a", "body": { "n": 1 } }]));
        desk.check(&["run", &before], 0, &["1 pending"]);
        desk.noor(&[&["pause"], scope].concat(), 0, &["is paused"]);
        desk.noor(&[&["pause"], scope].concat(), 0, &["was paused before; the first cause stands"]);
        let meanwhile = desk.rows("meanwhile", &json!([{ "slot": "a", "body": { "n": 2 } }]));
        desk.check(&["run", &meanwhile, "--wait", "60"], 3, &["recorded", "paused: looked at it"]);
        let told = desk.json(&["run", &meanwhile]);
        assert_eq!(told["answered"]["verdict"], "paused", "{told}");
        assert_eq!(told["works"], json!({ "waiting": 1 }), "{told}");
        desk.check(&["resume", "--wait", "60"], 3, &["1 waiting"]);
        desk.check(&["pause", "list"], 0, &["Noor", "looked at it"]);
        let stopped = desk.json(&["destination", "list"])[0]["paused"].is_object();
        assert_eq!(stopped, scope[0] != "step", "{scope:?}");
        desk.noor(&[&["unpause"], scope].concat(), 0, &["goes on"]);
        desk.noor(&[&["unpause"], scope].concat(), 0, &["was not paused"]);
        desk.check(&["pause", "list"], 0, &["nothing is paused"]);
        desk.check(&["resume", "--deliver"], 0, &["works: 2 done", "2 sent"]);
        assert_eq!(desk.bodies().len(), 2, "{scope:?}");
    }
}

#[test]
fn a_paused_destination_lets_steps_run_and_keeps_its_rows() {
    let desk = Desk::new("");
    desk.noor(&["pause", "destination", "crm"], 0, &["the destination \"crm\" is paused"]);
    let file = desk.rows("a", &json!([{ "slot": "a", "body": {} }]));
    desk.check(&["run", &file, "--deliver", "--wait", "60"], 3, &["1 done", "1 pending"]);
    desk.check(&["destination", "list"], 0, &["paused", "looked at it"]);
    desk.noor(&["pause", "destination", "cmr"], 1, &["pausing \"cmr\"", "onceward destination list"]);
    desk.noor(&["unpause", "namespace"], 1, &["is not paused by itself", "onceward pause list"]);
    let told = desk.json(&["unpause", "destination", "crm", "--by", "Noor", "--why", "it is back"]);
    assert_eq!(told, json!({ "verdict": "applied", "scope": "destination", "name": "crm", "paused": false }));
    desk.check(&["deliver"], 0, &["1 sent"]);
    assert_eq!(desk.json(&["outbox", "list"])[0]["attempt"], 1);
}

#[test]
fn a_step_that_nobody_has_seen_is_paused_with_a_warning() {
    let desk = Desk::new("");
    let file = desk.rows("a", &json!([]));
    desk.check(&["run", &file], 0, &[]);
    let warned = ["warning: no step \"enqueue-as\"", "enqueues-as, follows-receipt", "is paused"];
    desk.noor(&["pause", "step", "enqueue-as"], 0, &warned);
    let output = desk.host.run(&[&["pause", "step", "enqueues-as"], &NOOR[..]].concat()).expect("it starts");
    assert!(output.status.success() && output.stderr.is_empty(), "{output:?}");
}
