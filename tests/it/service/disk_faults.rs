//! A serving host on a disk that fails under it: what it acknowledges is kept, and whatever it can't keep it refuses.
//!
//! The host runs as a process with a preloaded library that makes the calls of its ledger fail on demand. It is started again
//! on a sound disk, and then every lead has to have its one deal: those that were acknowledged without being sent again.

use crate::disk_fails::{FSYNC, FailingDisk, WRITE};
use serde_json::{Value, json};
use std::fs::File;
use std::path::Path;
use std::time::{Duration, Instant};
use support::lead_config;
use support::receiver::Receiver;
use support::receiver::client;
use support::receiver::client::Exchange;
use support::receiver::evidence;
use support::service::Service;
use support::workspace::Workspace;
use tempfile::TempDir;

const SOURCE: &str = "[source.web-form]\nkind = \"json\"\nopen = true\nid = { pointer = \"/message_id\" }\n";

/// The door of events.
const EVENTS: &str = "/v1/sources/web-form/events";

/// Leads that are sent before, during and after the fault.
const LEADS: usize = 4;

/// How long something may take to come about. It is looked at again and again until then.
const PATIENCE: Duration = Duration::from_secs(120);

/// One of which some fill the log, so that it is moved into the ledger.
const LARGE: &str = "large";
const LARGE_BYTES: usize = 900_000;

/// Enough of them that a read has to go to the disk.
const READ_LEADS: usize = 3;

/// More of them than fill a log up to the alarm.
const LARGE_LEADS: usize = 20;

fn lead(message_id: &str) -> Value {
    let length = if message_id.starts_with(LARGE) { LARGE_BYTES } else { 0 };
    json!({
        "source": "web-form",
        "message_id": message_id,
        "contact": { "name": "Ada", "email": "ada@example.com" },
        "text": format!("What is the price of the pallet {message_id}? {}", ".".repeat(length)),
    })
}

fn until(what: &str, mut holds: impl FnMut() -> bool) {
    let begun = Instant::now();
    while !holds() {
        assert!(begun.elapsed() < PATIENCE, "this does not come about: {what}");
    }
}

/// A host on a disk that can fail, a CRM, and what was said about each lead.
struct Stage {
    dir: TempDir,
    disk: FailingDisk,
    workspace: Workspace,
    _crm: Receiver,
    acknowledged: Vec<String>,
    refused: Vec<String>,
}

impl Stage {
    /// None, and a loud word, where no library can be built.
    fn new() -> Option<Self> {
        let dir = tempfile::tempdir().expect("a temporary folder");
        let disk = FailingDisk::build(dir.path())?;
        let crm = Receiver::start(&dir.path().join("crm")).expect("a receiver");
        let config = format!("{}\n{SOURCE}", lead_config::middle(&crm.url("/deals")));
        let workspace = Workspace::with_config(&dir.path().join("host"), &config).expect("a workspace");
        let (acknowledged, refused) = (Vec::new(), Vec::new());
        Some(Self { dir, disk, workspace, _crm: crm, acknowledged, refused })
    }

    /// A host on this disk, whose words go to a log.
    fn serve(&self) -> Service {
        let mut command = self.workspace.command(&[]);
        self.disk.under(&mut command);
        command.stderr(File::create(self.log()).expect("a log"));
        Service::spawn(command)
    }

    fn log(&self) -> std::path::PathBuf {
        self.dir.path().join("host.log")
    }

    fn said(&self) -> String {
        std::fs::read_to_string(self.log()).expect("a log")
    }

    /// Send a lead. It is acknowledged, or refused in words that say it can be sent again; a host that has ended says nothing.
    fn send(&mut self, host: &Service, message_id: &str) -> bool {
        let body = lead(message_id).to_string();
        let answer = client::send(host.address(), "POST", EVENTS, &[], body.as_bytes());
        let acknowledged = answer.is_ok_and(|answer| is_acknowledged(&answer));
        let list = if acknowledged { &mut self.acknowledged } else { &mut self.refused };
        list.push(message_id.to_owned());
        acknowledged
    }

    fn send_all(&mut self, host: &Service, name: &str) -> usize {
        (0..LEADS).filter(|n| self.send(host, &format!("{name}-{n}"))).count()
    }

    /// Another process on a sound disk: it has what was acknowledged and takes the rest, and every lead ends with one deal.
    fn assert_kept(self) {
        let host = Service::start(&self.workspace);
        for message_id in &self.acknowledged {
            let again = host.post(EVENTS, &lead(message_id));
            let verdict = again.json().expect("JSON")["verdict"].clone();
            assert_eq!(verdict, "duplicate", "{message_id} was acknowledged, and is not there");
        }
        for message_id in &self.refused {
            let again = host.post(EVENTS, &lead(message_id));
            assert!(matches!(again.status(), Some(200 | 202)), "{message_id}: {}", again.text());
        }
        let all = self.acknowledged.len() + self.refused.len();
        until("every lead has its deal", || host.rows("sent") == all);
        let mut deals: Vec<_> = deals(&self.dir.path().join("crm"));
        let mut leads = [self.acknowledged, self.refused].concat();
        deals.sort();
        leads.sort();
        assert_eq!(deals, leads, "one deal a lead");
    }
}

fn deals(crm: &Path) -> Vec<String> {
    let lead_of = |body: &str| {
        let body: Value = serde_json::from_str(body).expect("a deal is JSON");
        body["reference"]["message_id"].as_str().expect("a deal names its lead").to_owned()
    };
    let deals = evidence::deals(crm).expect("the receiver's file");
    deals.iter().map(|deal| lead_of(&deal.body)).collect()
}

/// Whether an answer says that the lead is on record. What says otherwise has to say that it can be sent again.
fn is_acknowledged(answer: &Exchange) -> bool {
    matches!(answer.status(), Some(200 | 202)) || !is_refused(answer)
}

/// It is refused in words that say that the same can be sent again, or the host ended in the middle of it.
fn is_refused(answer: &Exchange) -> bool {
    if let Some(status) = answer.status() {
        let problem = answer.json().expect("a problem");
        assert_eq!((status, &problem["retryable"]), (503, &json!(true)), "{problem}");
        assert!(answer.header("retry-after").is_some(), "{}", answer.text());
    }
    true
}

/// The host can't know what is on disk: it stops, and acknowledges nothing more, also when the disk works again.
fn check_stops(fault: &str) {
    let Some(mut stage) = Stage::new() else { return };
    let mut host = stage.serve();
    assert_eq!(stage.send_all(&host, "before"), LEADS);
    stage.disk.fail(fault);
    assert_eq!(stage.send_all(&host, "during"), 0, "{fault}: acknowledged on a disk that fails");
    stage.disk.mend();
    assert_eq!(stage.send_all(&host, "after"), 0, "{fault}: acknowledged by a host that can't know");
    assert_eq!(host.wait().code(), Some(1), "{fault}: {}", stage.said());
    let said = stage.said();
    assert!(said.contains("the disk failed while writing the ledger, so the host stops"), "{fault}: {said}");
    stage.assert_kept();
}

/// The host knows that nothing was kept: it refuses, and goes on when there is space.
fn check_refuses(fault: &str) {
    let Some(mut stage) = Stage::new() else { return };
    let host = stage.serve();
    assert_eq!(stage.send_all(&host, "before"), LEADS);
    stage.disk.fail(fault);
    assert_eq!(stage.send_all(&host, "during"), 0, "{fault}: acknowledged without space");
    stage.disk.mend();
    assert_eq!(stage.send_all(&host, "after"), LEADS, "{fault}: {}", stage.said());
    drop(host);
    stage.assert_kept();
}

/// The log takes everything and can't be moved into the ledger, of which SQLite says nothing: the host finds out before the
/// log has used up the disk.
fn check_finds_out(fault: &str) {
    let Some(mut stage) = Stage::new() else { return };
    let mut host = stage.serve();
    stage.disk.fail(fault);
    let acknowledged = (0..LARGE_LEADS).take_while(|n| stage.send(&host, &format!("{LARGE}-{n}"))).count();
    assert!((1..LARGE_LEADS).contains(&acknowledged), "{fault}: {acknowledged} went into the log");
    assert_eq!(host.wait().code(), Some(1), "{fault}: {}", stage.said());
    let said = stage.said();
    assert!(said.contains("moving the write-ahead log into the ledger: the disk failed"), "{fault}: {said}");
    assert!(!said.contains("end that reader"), "{fault}: {said}");
    stage.disk.mend();
    stage.assert_kept();
}

/// A read that fails leaves nothing behind: what needs it is refused, and the host goes on when the disk does. Only a read
/// in the middle of a commit stops it.
fn check_reads(fault: &str) {
    let Some(mut stage) = Stage::new() else { return };
    let mut host = stage.serve();
    assert_eq!(stage.send_all(&host, "before"), LEADS);
    // More than is kept of the ledger in memory, and more than stays in its log.
    for n in 0..READ_LEADS {
        assert!(stage.send(&host, &format!("{LARGE}-{n}")));
    }
    let token = format!("Bearer {}", host.token().expect("the first start shows one"));
    stage.disk.fail(fault);
    stage.send_all(&host, "during");
    until("a read fails", || {
        let asked = client::send(host.address(), "GET", "/v1/works", &[("Authorization", &token)], b"");
        asked.map_or(true, |answer| answer.status() != Some(200) && is_refused(&answer))
    });
    stage.disk.mend();
    until("a lead is taken again, or the host has stopped", || {
        stage.refused.retain(|lead| lead != "after");
        stage.send(&host, "after") || host.ended().is_some()
    });
    if let Some(ended) = host.ended() {
        let said = stage.said();
        assert!(ended.code() == Some(1) && said.contains("the disk failed while"), "{fault}: {ended} {said}");
    }
    drop(host);
    stage.assert_kept();
}

#[test]
fn a_host_whose_log_can_not_be_synced_stops_and_keeps_what_it_acknowledged() {
    check_stops(FSYNC);
}

#[test]
fn a_host_whose_log_can_not_be_written_stops_and_keeps_what_it_acknowledged() {
    check_stops(WRITE);
}

#[test]
fn a_host_whose_log_finds_no_space_refuses_and_goes_on_when_there_is_some() {
    check_refuses("write ENOSPC onceward.db-wal");
}

#[test]
fn a_host_whose_log_finds_no_space_in_the_middle_of_a_frame_refuses_and_goes_on() {
    check_refuses("write TORN onceward.db-wal");
}

#[test]
fn writes_that_are_done_in_part_are_gone_on_with() {
    let Some(mut stage) = Stage::new() else { return };
    let host = stage.serve();
    stage.disk.fail("write SHORT onceward.db-wal");
    assert_eq!(stage.send_all(&host, "during"), LEADS, "{}", stage.said());
    drop(host);
    stage.assert_kept();
}

#[test]
fn a_host_whose_ledger_can_not_be_written_stops_although_its_log_can() {
    check_finds_out("write EIO onceward.db");
}

#[test]
fn a_host_whose_ledger_can_not_be_synced_stops_although_its_log_can() {
    check_finds_out("sync EIO onceward.db");
}

#[test]
fn a_ledger_that_finds_no_space_while_its_log_does_is_said_and_goes_on() {
    let Some(mut stage) = Stage::new() else { return };
    let host = stage.serve();
    stage.disk.fail("write ENOSPC onceward.db");
    let mut leads = 0..LARGE_LEADS;
    until("the host says that its ledger finds no space", || {
        let n = leads.next().expect("the log is past the alarm by now");
        assert!(stage.send(&host, &format!("{LARGE}-{n}")), "{}", stage.said());
        stage.said().contains("free disk space")
    });
    assert!(!stage.said().contains("end that reader"), "{}", stage.said());
    stage.disk.mend();
    assert_eq!(stage.send_all(&host, "after"), LEADS, "{}", stage.said());
    drop(host);
    stage.assert_kept();
}

#[test]
fn a_read_of_the_ledger_that_fails_is_refused_and_the_host_goes_on() {
    check_reads("read EIO onceward.db");
}

#[test]
fn a_read_of_the_log_that_fails_is_refused_and_the_host_goes_on() {
    check_reads("read EIO onceward.db-wal");
}

#[test]
fn a_host_that_can_not_open_read_or_write_its_ledger_does_not_start_and_says_why() {
    let Some(mut stage) = Stage::new() else { return };
    let host = stage.serve();
    assert_eq!(stage.send_all(&host, "before"), LEADS);
    drop(host);
    for (fault, why) in [
        ("open EIO onceward.db", "opening the ledger"),
        ("open EIO onceward.db-wal", "opening the ledger"),
        ("read EIO onceward.db", "opening the ledger"),
        (FSYNC, "the disk failed while writing the ledger"),
        (WRITE, "the disk failed while writing the ledger"),
        ("write ENOSPC onceward.db-wal", "no space is left for the ledger"),
    ] {
        stage.disk.fail(fault);
        let mut command = stage.workspace.command(&["serve", "--listen", "127.0.0.1:0"]);
        stage.disk.under(&mut command);
        let ended = command.output().expect("it starts");
        let said = String::from_utf8_lossy(&ended.stderr);
        assert_eq!((ended.status.code(), &*ended.stdout), (Some(1), &b""[..]), "{fault}: {said}");
        assert!(said.contains(why), "{fault}: {said}");
    }
    stage.disk.mend();
    stage.assert_kept();
}
