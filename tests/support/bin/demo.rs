//! The promise, to watch: repeats, a lost answer and a SIGKILL, and still one deal a lead.
//!
//! Real parts alone: the `onceward` binary with its SQLite ledger, two sandboxed steps, and the receiver as a process of
//! its own. What is counted at the end comes from the receiver's file and from the model's call log.
#![expect(clippy::print_stdout, reason = "the story is for people on a terminal")]

use anyhow::{Context as _, bail};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use support::paths;
use support::receiver::process::ReceiverProcess;
use support::workspace::Workspace;

fn main() -> anyhow::Result<()> {
    let dir = PathBuf::from(std::env::args_os().nth(1).context("usage: onceward-demo FOLDER")?);
    if dir.exists() {
        std::fs::remove_dir_all(&dir).context("clearing the folder of the last demo")?;
    }
    let crm_dir = dir.join("crm");
    std::fs::create_dir_all(&crm_dir)?;
    let crm = ReceiverProcess::spawn(&paths::binary("onceward-receiver"), &crm_dir, &[])?;
    let host = Workspace::lead_flow(&dir.join("host"), &crm.url("/deals"))?;
    let mut story = Story { host, crm, rows: Vec::new() };
    story.tell()?;
    story.end(&crm_dir)
}

struct Story {
    host: Workspace,
    crm: ReceiverProcess,
    rows: Vec<[String; 3]>,
}

impl Story {
    fn tell(&mut self) -> anyhow::Result<()> {
        println!(
            "A lead goes through two sandboxed steps into a CRM. The world misbehaves; watch what happens.\n"
        );
        self.host.write("first.json", &lead("msg-1", "What is the price of a pallet?", "10:00:01", false))?;
        self.host.write("again.json", &lead("msg-1", "What is the price of a pallet?", "10:00:07", false))?;
        self.host
            .write("shuffled.json", &lead("msg-1", "What is the price of a pallet?", "10:04:33", true))?;
        self.host
            .write("second.json", &lead("msg-2", "The last pallet arrived broken.", "11:30:00", false))?;

        self.event("a lead arrives", &["run", "first.json"])?;
        self.event("the webhook sends it again", &["run", "again.json"])?;
        self.event("and a third time, members in another order", &["run", "shuffled.json"])?;

        self.crm.fault(&["lose-reply"])?;
        self.deliveries(&[
            "the CRM writes the deal, and its reply is lost",
            "the row goes out again, byte for byte",
        ])?;

        self.host.crash_at("decision-recorded", &["run", "second.json"])?;
        self.rows.push([
            "a second lead from the same contact".to_owned(),
            "new".to_owned(),
            "another message id; an e-mail address is no identity".to_owned(),
        ]);
        self.rows.push([
            "the host is killed (SIGKILL) after the decision".to_owned(),
            "cut off".to_owned(),
            "the model's answer is in the ledger, the CRM knows nothing yet".to_owned(),
        ]);
        self.event("the host is started again", &["resume"])?;
        self.deliveries(&["the second deal goes out"])?;
        self.event("the second lead is delivered once more", &["run", "second.json"])
    }

    /// Run a command about a work, and say what became of it and why.
    fn event(&mut self, what: &str, args: &[&str]) -> anyhow::Result<()> {
        let told = self.host.json(args)?;
        let (verdict, why) = if told["answered"].is_object() {
            let answered = &told["answered"];
            if answered["verdict"] != "replay" {
                bail!("{what}: expected a replay, got {answered}");
            }
            let id = answered["work_id"].as_str().unwrap_or_default();
            (
                "replayed",
                format!("work {} was done before; its first result is given, nothing runs", short(id)),
            )
        } else {
            let runs = told["runs"].as_array().context("the command tells its runs")?;
            let first = runs.first().with_context(|| format!("{what}: nothing ran"))?;
            let id = first["work_id"].as_str().unwrap_or_default();
            if first["takeover"] == true {
                let evidence = self.host.json(&["work", "show", id])?["evidence"].clone();
                (
                    "recovered",
                    format!(
                        "work {} goes on as attempt {}; {}",
                        short(id),
                        first["attempt"],
                        asked(&evidence)
                    ),
                )
            } else {
                (
                    "new",
                    format!(
                        "work {}: classified, and a row for the CRM committed with the result",
                        short(id)
                    ),
                )
            }
        };
        self.rows.push([what.to_owned(), verdict.to_owned(), why]);
        Ok(())
    }

    /// Deliver until nothing is left to send, and say what became of each attempt.
    fn deliveries(&mut self, what: &[&str]) -> anyhow::Result<()> {
        let told = self.host.json(&["deliver", "--wait", "10"])?;
        let attempts = told["deliveries"].as_array().context("the command tells its deliveries")?;
        if attempts.len() != what.len() {
            bail!("expected {} attempts ({what:?}), and there were {}: {told}", what.len(), attempts.len());
        }
        for (what, attempt) in what.iter().zip(attempts) {
            let (verdict, why) = attempt_words(attempt)?;
            self.rows.push([(*what).to_owned(), verdict.to_owned(), why]);
        }
        Ok(())
    }

    /// The table, and the count by those who were called.
    fn end(&self, crm_dir: &Path) -> anyhow::Result<()> {
        let width = |column: usize| self.rows.iter().map(|row| row[column].len()).max().unwrap_or(0);
        let (first, second) = (width(0), width(1));
        for [what, verdict, why] in &self.rows {
            println!("{what:<first$}  {verdict:<second$}  {why}");
        }
        let deals = support::receiver::evidence::deals(crm_dir)?;
        let mut per_lead = BTreeMap::from([("msg-1".to_owned(), 0_usize), ("msg-2".to_owned(), 0)]);
        for deal in &deals {
            let body: Value = serde_json::from_str(&deal.body).context("a deal is JSON")?;
            let lead = body.pointer("/reference/message_id").and_then(Value::as_str).unwrap_or("unknown");
            *per_lead.entry(lead.to_owned()).or_default() += 1;
        }
        let lost = per_lead.values().filter(|count| **count == 0).count();
        let twice: usize = per_lead.values().map(|count| count.saturating_sub(1)).sum();
        println!();
        println!(
            "deals {}, model calls {}, lost {lost}, twice {twice}",
            deals.len(),
            self.host.model_calls()?
        );
        if (deals.len(), self.host.model_calls()?, lost, twice) != (2, 2, 0, 0) {
            bail!("the promise was not kept");
        }
        Ok(())
    }
}

/// What became of an attempt, and why.
fn attempt_words(attempt: &Value) -> anyhow::Result<(&'static str, String)> {
    let row = short(attempt["row_id"].as_str().unwrap_or_default());
    let detail = attempt["detail"].as_str().unwrap_or_default();
    Ok(match (attempt["outcome"].as_str(), attempt["attempt"].as_u64()) {
        (Some("again"), _) => {
            ("unknown", format!("row {row} may have been applied; it is kept, under the same key"))
        }
        (Some("sent"), Some(1)) => ("sent", format!("row {row}: {detail}")),
        (Some("sent"), Some(number)) => {
            ("recovered", format!("row {row}, attempt {number}: the CRM knows the key; {detail}"))
        }
        other => bail!("an attempt had the unexpected outcome {other:?}: {attempt}"),
    })
}

/// What the evidence says about the model.
fn asked(evidence: &Value) -> String {
    let decided = evidence.as_array().into_iter().flatten().filter(|line| line["kind"] == "decided").count();
    format!("{decided} decision on record, so the model is not asked again")
}

fn short(id: &str) -> &str {
    id.get(..8).unwrap_or(id)
}

/// An event file as a web form would send it; `shuffled` changes the order of members and the white space.
fn lead(message_id: &str, text: &str, received: &str, shuffled: bool) -> String {
    let received = format!("2026-11-29T{received}Z");
    if shuffled {
        return format!(
            "{{ \"data\": {{ \"text\": {}, \"received_at\": \"{received}\",\n \"contact\": {{ \"email\": \"ada@example.com\", \"name\": \"Ada\" }},\n \"message_id\": \"{message_id}\", \"source\": \"web-form\" }},\n \"time\": \"2026-11-29T10:00:00Z\", \"id\": \"{message_id}\", \"source\": \"web-form\" }}",
            json!(text)
        );
    }
    json!({
        "source": "web-form",
        "id": message_id,
        "time": "2026-11-29T10:00:00Z",
        "data": {
            "source": "web-form",
            "message_id": message_id,
            "contact": { "name": "Ada", "email": "ada@example.com" },
            "text": text,
            "received_at": received,
        },
    })
    .to_string()
}
