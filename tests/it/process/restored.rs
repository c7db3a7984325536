//! A disaster from its beginning to its end, with the real program: a backup of a host that serves, the loss of its ledger, the
//! backup in its place, and what a person does then. What the backup does not know may have had its effect.

use serde_json::{Value, json};
use std::path::Path;
use std::time::{Duration, Instant};
use support::paths;
use support::receiver::process::ReceiverProcess;
use support::service::Service;
use support::tier_config;
use support::tier_config::TIERS;
use support::workspace::Workspace;

/// How long something may take to come about. It is looked at again and again until then.
const PATIENCE: Duration = Duration::from_secs(120);

const BY: [&str; 4] = ["--by", "Noor", "--why", "the disk has died"];

struct Site {
    _dir: tempfile::TempDir,
    receiver: ReceiverProcess,
    host: Workspace,
}

impl Site {
    fn new() -> Self {
        let dir = tempfile::tempdir().expect("a temporary folder");
        let crm = dir.path().join("receiver");
        std::fs::create_dir_all(&crm).expect("a folder for the receiver");
        let receiver =
            ReceiverProcess::spawn(&paths::binary("onceward-receiver"), &crm, &[]).expect("a receiver");
        let host = tier_config::workspace(&dir.path().join("host"), &receiver.url("")).expect("a workspace");
        Self { _dir: dir, receiver, host }
    }

    fn ledger(&self) -> std::path::PathBuf {
        self.host.dir().join("onceward.db")
    }

    fn said(&self, args: &[&str]) -> String {
        let output = self.host.run(args).expect("it starts");
        let told =
            String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{args:?}: {told}");
        told
    }

    fn act(&self, args: &[&str]) -> String {
        self.said(&[args, &BY].concat())
    }

    /// The effects that the receiver has of an event, by tier.
    fn effects(&self, event: &str) -> [usize; 4] {
        let deals = self.receiver.deals().expect("the receiver's file");
        TIERS.map(|tier| {
            let of = |deal: &&support::receiver::evidence::Deal| {
                deal.kind == tier.word() && deal.body.contains(&format!("{event:?}"))
            };
            deals.iter().filter(of).count()
        })
    }

    /// Post an event whose rows wait at destinations that are paused.
    fn leave_waiting(&self, host: &Service, event: &str) {
        self.each_tier("pause");
        post(host, event);
        until("the rows wait", || self.rows("pending").len() == TIERS.len());
    }

    /// Pause all destinations, or let them go on.
    fn each_tier(&self, verb: &str) {
        for tier in TIERS {
            self.act(&[verb, "destination", tier.word()]);
        }
    }

    /// The destinations of rows in this state.
    fn rows(&self, state: &str) -> Vec<String> {
        let rows = self.host.json(&["outbox", "list", "--state", state]).expect("a list");
        let rows = rows.as_array().expect("an array").clone();
        let mut names: Vec<String> =
            rows.iter().filter_map(|row| Some(row["destination"].as_str()?.to_owned())).collect();
        names.sort();
        names
    }
}

fn post(host: &Service, event: &str) -> Value {
    let answer = host.post(tier_config::EVENTS, &json!({ "event": event }));
    answer.json().expect("JSON")
}

fn until(what: &str, mut holds: impl FnMut() -> bool) {
    let begun = Instant::now();
    while !holds() {
        assert!(begun.elapsed() < PATIENCE, "this does not come about: {what}");
        std::thread::park_timeout(Duration::from_millis(10));
    }
}

fn is_idle(host: &Service) -> bool {
    host.get("/v1/status").json().expect("JSON")["idle"] == true
}

fn remove(ledger: &Path) {
    for suffix in ["", "-wal", "-shm", ".lock"] {
        let _ = std::fs::remove_file(format!("{}{suffix}", ledger.display()));
    }
}

#[test]
fn a_backup_in_the_place_of_a_lost_ledger_sends_nothing_by_itself_and_then_doubles_nothing_it_knows_of() {
    let site = Site::new();
    let mut host = Service::start(&site.host);
    site.leave_waiting(&host, "known");
    let told = site.said(&["backup", "backup.db"]);
    assert!(told.contains("backup.db holds the ledger as of "), "{told}");
    site.each_tier("unpause");
    post(&host, "later");
    until("all is sent", || site.effects("known") == [1; 4] && site.effects("later") == [1; 4]);
    host.kill();

    remove(&site.ledger());
    let told = site.act(&["restore", "backup.db"]);
    assert!(told.contains("0 works and 4 rows were under way then, and are in doubt now"), "{told}");
    let status = site.said(&["status"]);
    assert!(status.contains("paused: everything since "), "{status}");
    assert!(status.contains("Noor says: the disk has died"), "{status}");

    let requests = || site.receiver.counts().expect("the receiver's file").requests;
    let before = requests();
    host = Service::start(&site.host);
    assert_eq!(post(&host, "after")["verdict"], "accepted");
    site.each_tier("unpause");
    let told = site.act(&["outbox", "resolve", "--all", "--state", "in-doubt", "--as", "check"]);
    assert!(told.contains("4 rows were decided about"), "{told}");
    host.stop();
    host = Service::start(&site.host);
    assert_eq!(requests(), before, "everything is paused");

    site.act(&["unpause", "everything"]);
    until("the new event has its effects", || site.effects("after") == [1; 4]);
    until("nothing is under way", || is_idle(&host));
    assert_eq!(site.effects("known"), [1; 4], "a repeat is one, or was not sent");
    assert_eq!(site.rows("in-doubt"), ["blind"], "only the one that can't tell is left to a person");

    // What came after the backup is unknown. A destination that knows a repeat by itself is not written to twice.
    post(&host, "later");
    until("it is run as new", || is_idle(&host) && site.effects("later")[3] == 2);
    assert_eq!(site.effects("later"), [1, 1, 2, 2]);
    host.stop();
}

#[test]
fn an_older_file_in_the_place_of_the_ledger_is_noticed_and_sends_nothing_by_itself() {
    let site = Site::new();
    let mut host = Service::start(&site.host);
    site.leave_waiting(&host, "known");
    host.stop();
    let old = site.host.dir().join("nightly.db");
    std::fs::copy(site.ledger(), &old).expect("it can be copied");

    host = Service::start(&site.host);
    site.each_tier("unpause");
    until("all is sent", || site.effects("known") == [1; 4]);
    host.kill();
    for suffix in ["-wal", "-shm"] {
        let _ = std::fs::remove_file(format!("{}{suffix}", site.ledger().display()));
    }
    std::fs::copy(&old, site.ledger()).expect("it can be copied");

    host = Service::start(&site.host);
    let status = site.said(&["status"]);
    assert!(status.contains("paused: everything since ") && status.contains("restored as of "), "{status}");
    site.each_tier("unpause");
    site.act(&["unpause", "everything"]);
    post(&host, "after");
    until("the new event has its effects", || site.effects("after") == [1; 4]);
    until("nothing is under way", || is_idle(&host));
    assert_eq!(site.rows("in-doubt").len(), TIERS.len());
    assert_eq!(site.effects("known"), [1; 4]);
    host.stop();
}

/// A restore that can't be: the words of its refusal, and the ledger is as it was.
fn refused(args: &[&str], words: &[&str]) {
    let site = Site::new();
    Service::start(&site.host).stop();
    let before = std::fs::read(site.ledger()).expect("a ledger");
    site.host.write("no-ledger.db", "plain text, and more of it than a head").expect("a file");
    let output = site.host.run(args).expect("it starts");
    let told = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(1), "{told}");
    for word in words {
        assert!(told.contains(word), "{word:?} is not in: {told}");
    }
    assert!(before == std::fs::read(site.ledger()).expect("a ledger"), "the ledger has changed");
}

#[test]
fn a_restore_over_a_ledger_is_refused() {
    let args = ["restore", "no-ledger.db", "--by", "Noor", "--why", "try"];
    refused(&args, &["something is there already", "move it away"]);
}

#[test]
fn a_restore_of_nothing_is_refused() {
    let site = Site::new();
    let args = ["restore", "nothing.db", "--by", "Noor", "--why", "try"];
    let told = String::from_utf8(site.host.run(&args).expect("it starts").stderr).expect("text");
    assert!(
        told.contains("reading the copy: nothing.db can't be used") && told.contains("No such file"),
        "{told}"
    );
    assert!(!site.ledger().exists());
    let in_place =
        site.host.run(&["restore", "--in-place", "--by", "Noor", "--why", "try"]).expect("it starts");
    let told = String::from_utf8(in_place.stderr).expect("text");
    assert!(told.contains("there is no ledger") && !site.ledger().exists(), "{told}");
}

#[test]
fn a_restore_without_a_word_of_who_and_why_is_refused() {
    refused(&["restore", "--in-place", "--by", " ", "--why", "try"], &["--by and --why must say something"]);
}

#[test]
fn a_backup_over_a_file_is_refused() {
    refused(
        &["backup", "no-ledger.db"],
        &["no-ledger.db", "something is there already", "choose another name"],
    );
}
