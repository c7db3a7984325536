//! The host as a process: killed, restarted, fed with bad input, and asked on the command line.

mod alerts;
mod author;
mod bad_input;
mod bulk;
mod callers;
mod command_line;
mod crash_points;
mod decisions;
mod demo;
mod desk;
mod erase;
mod exit_codes;
mod frozen;
mod guests;
mod hostile_output;
mod kill_loop;
mod money;
mod quarantine;
mod rows;
mod read_only;
mod progress;
mod restored;
mod retention;
mod secrets;
mod story;
mod torture;
mod steps;
mod versions;

use onceward::contract::tier::Tier;
use serde_json::Value;
use std::path::Path;
use support::paths;
use support::receiver::evidence;
use support::receiver::process::ReceiverProcess;
use support::workspace::Workspace;
use tempfile::TempDir;

/// A CRM and a host, each a process, in a folder of their own.
struct Stage {
    crm: ReceiverProcess,
    host: Workspace,
    dir: TempDir,
}

impl Stage {
    fn new(receiver_args: &[&str]) -> Self {
        Self::with(receiver_args, |dir, crm| Workspace::lead_flow(dir, &crm.url("/deals")))
    }

    /// The whole lead flow, with receivers of this tier.
    fn whole(receiver_args: &[&str], tier: Tier) -> Self {
        Self::with(receiver_args, |dir, crm| Workspace::whole_flow(dir, &crm.url(""), tier))
    }

    fn with(
        receiver_args: &[&str],
        workspace: impl FnOnce(&Path, &ReceiverProcess) -> anyhow::Result<Workspace>,
    ) -> Self {
        let dir = tempfile::tempdir().expect("a temporary folder");
        let crm_dir = dir.path().join("crm");
        std::fs::create_dir_all(&crm_dir).expect("a folder for the CRM");
        let crm = ReceiverProcess::spawn(&paths::binary("onceward-receiver"), &crm_dir, receiver_args)
            .expect("the CRM starts");
        let host = workspace(&dir.path().join("host"), &crm).expect("a workspace");
        Self { crm, host, dir }
    }

    fn crm_dir(&self) -> std::path::PathBuf {
        self.dir.path().join("crm")
    }

    fn json(&self, args: &[&str]) -> Value {
        self.host.json(args).expect("the command answers")
    }

    /// Every lead made exactly one deal, every resend was byte for byte the same, and nothing is left to do.
    fn assert_once(&self, leads: &[String]) {
        let counts = evidence::counts(&self.crm_dir()).expect("the CRM's file");
        let deals = evidence::deals(&self.crm_dir()).expect("the CRM's file");
        let mut of_leads: Vec<String> = deals.iter().map(|deal| lead_of(&deal.body)).collect();
        of_leads.sort();
        let mut wanted = leads.to_vec();
        wanted.sort();
        assert_eq!(of_leads, wanted, "one deal a lead: {counts:?}");
        assert!(counts.bodies <= 1, "a key went out with other bytes: {counts:?}");
        assert_eq!(counts.conflicts, 0, "{counts:?}");
        let works = self.json(&["work", "list", "--limit", "10000"]);
        let works = works.as_array().expect("a list of works");
        assert_eq!(works.len(), 2 * leads.len(), "two steps a lead");
        for work in works {
            assert_eq!(work["state"], "done", "{work}");
        }
        let rows = self.json(&["outbox", "list", "--limit", "10000"]);
        let rows = rows.as_array().expect("a list of rows");
        assert_eq!(rows.len(), leads.len(), "one row a lead");
        for row in rows {
            assert_eq!(row["state"], "sent", "{row}");
            assert!(row["external_reference"].as_str().is_some_and(|id| id.starts_with("deal-")), "{row}");
        }
    }
}

fn lead_of(body: &str) -> String {
    let body: Value = serde_json::from_str(body).expect("a deal is JSON");
    body.pointer("/reference/message_id").and_then(Value::as_str).expect("a deal names its lead").to_owned()
}

fn text(path: &Path) -> String {
    std::fs::read_to_string(path).expect("a readable file")
}
