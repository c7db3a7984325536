//! The promise, to watch: repeats, lost answers, a SIGKILL and an impatient person, and still one deal and one reply a
//! lead.
//!
//! Real parts alone: the `onceward` binary with its SQLite ledger, six sandboxed steps, and the receiver as a process of
//! its own, which plays the CRM and the message service. What is counted at the end comes from the receiver's file and
//! from the model's call log.
#![expect(clippy::print_stdout, reason = "the story is for people on a terminal")]

use anyhow::{Context as _, bail};
use onceward::contract::tier::Tier;
use serde_json::{Value, json};
use std::path::{Path, PathBuf};
use support::handoffs::Handoffs;
use support::paths;
use support::receiver::process::ReceiverProcess;
use support::workspace::Workspace;

fn main() -> anyhow::Result<()> {
    let dir = PathBuf::from(std::env::args_os().nth(1).context("usage: onceward-demo FOLDER")?);
    if dir.exists() {
        std::fs::remove_dir_all(&dir).context("clearing the folder of the last demo")?;
    }
    let receiver_dir = dir.join("receiver");
    std::fs::create_dir_all(&receiver_dir)?;
    let receiver = ReceiverProcess::spawn(&paths::binary("onceward-receiver"), &receiver_dir, &[])?;
    let host = Workspace::whole_flow(&dir.join("host"), &receiver.url(""), Tier::Key)?;
    let mut story = Story { host, receiver, rows: Vec::new() };
    story.tell()?;
    story.end(&receiver_dir)
}

struct Story {
    host: Workspace,
    receiver: ReceiverProcess,
    rows: Vec<[String; 3]>,
}

impl Story {
    fn tell(&mut self) -> anyhow::Result<()> {
        println!(
            "Two leads go through sandboxed steps into a CRM, and get a reply. The world misbehaves; watch what happens.\n"
        );
        let price = "What is the price of a pallet?";
        self.host.write("first.json", &lead("msg-1", price, "10:00:01", false))?;
        self.host.write("again.json", &lead("msg-1", price, "10:00:07", false))?;
        self.host.write("shuffled.json", &lead("msg-1", price, "10:04:33", true))?;
        self.host
            .write("second.json", &lead("msg-2", "The last pallet arrived broken.", "11:30:00", false))?;

        self.event("a lead arrives", "first.json")?;
        self.event("the webhook sends it again", "again.json")?;
        self.event("and a third time, members in another order", "shuffled.json")?;
        self.receiver.fault(&["lose-reply"])?;
        self.goes_on(&[
            "the CRM writes the deal, and its answer is lost",
            "the row goes out again, byte for byte",
            "the deal's owner is set, under the id in the receipt",
        ])?;

        self.host.crash_at("decision-recorded", &["run", "second.json"])?;
        self.say(
            "a second lead, from the same contact",
            "new",
            "another message id; an address is no identity",
        );
        self.say(
            "the host is killed (SIGKILL) after the decision",
            "cut off",
            "the model's answer is in the ledger, the CRM knows nothing yet",
        );
        self.goes_on(&["the host is started again", "the second deal goes out", "and gets its owner"])?;

        let held = self.host.json(&["outbox", "list", "--state", "held"])?;
        let drafts: Vec<&str> =
            held.as_array().into_iter().flatten().map(|row| text(row, "row_id")).collect();
        let [second, first] = drafts[..] else { bail!("expected two drafts: {held}") };
        self.approves("a person approves the first reply", first)?;
        self.approves("and clicks once more", first)?;
        self.receiver.fault(&["lose-reply"])?;
        self.goes_on(&["the reply is sent, and the answer is lost", "it goes out again, under its key"])?;
        self.approves("the second reply is approved", second)?;
        self.goes_on(&["and sent"])?;
        self.event("the second lead is delivered once more", "second.json")
    }

    fn say(&mut self, what: &str, verdict: &str, why: impl Into<String>) {
        self.rows.push([what.to_owned(), verdict.to_owned(), why.into()]);
    }

    /// Run an event, and say what became of it and why.
    fn event(&mut self, what: &str, file: &str) -> anyhow::Result<()> {
        let told = self.host.json(&["run", file])?;
        let answered = &told["answered"];
        if answered.is_object() {
            if answered["verdict"] != "replay" {
                bail!("{what}: expected a replay, got {answered}");
            }
            let id = text(answered, "work_id");
            self.say(what, "replayed", format!("work {} was done before; nothing runs", short(id)));
            return Ok(());
        }
        let runs = told["runs"].as_array().context("the command tells its runs")?;
        let first = runs.first().with_context(|| format!("{what}: nothing ran"))?;
        let why = format!(
            "work {}: {} steps, a deal is queued, a reply is held",
            short(text(first, "work_id")),
            runs.len()
        );
        self.say(what, "new", why);
        Ok(())
    }

    /// Take over, run and deliver until nothing moves, and say what became of each attempt. A run that was cut off comes
    /// first.
    fn goes_on(&mut self, what: &[&str]) -> anyhow::Result<()> {
        let told = self.host.json(&["resume", "--deliver", "--wait", "10"])?;
        let mut lines = Vec::new();
        for run in told["runs"].as_array().into_iter().flatten().filter(|run| run["takeover"] == true) {
            let id = text(run, "work_id");
            let evidence = self.host.json(&["work", "show", id])?["evidence"].clone();
            let why =
                format!("work {} goes on as attempt {}; {}", short(id), run["attempt"], asked(&evidence));
            lines.push(("recovered", why));
        }
        for attempt in told["deliveries"].as_array().into_iter().flatten() {
            lines.push(attempt_words(attempt)?);
        }
        if lines.len() != what.len() {
            bail!("expected {} lines ({what:?}), and there were {}: {told}", what.len(), lines.len());
        }
        for (what, (verdict, why)) in what.iter().zip(lines) {
            self.say(what, verdict, why);
        }
        Ok(())
    }

    fn approves(&mut self, what: &str, row: &str) -> anyhow::Result<()> {
        let told = self.host.json(&["outbox", "approve", row, "--by", "Noor", "--why", "reads well"])?;
        if told["already"] == true {
            let why = format!("row {} was approved by {}; it is one approval", short(row), text(&told, "by"));
            self.say(what, "approved already", why);
        } else {
            self.say(what, "approved", format!("row {} goes out as it is, to the letter", short(row)));
        }
        Ok(())
    }

    /// The table, and the count by those who were called.
    fn end(&self, receiver_dir: &Path) -> anyhow::Result<()> {
        let width = |column: usize| self.rows.iter().map(|row| row[column].len()).max().unwrap_or(0);
        let (first, second) = (width(0), width(1));
        for [what, verdict, why] in &self.rows {
            println!("{what:<first$}  {verdict:<second$}  {why}");
        }
        let leads = ["msg-1".to_owned(), "msg-2".to_owned()];
        let handoffs = Handoffs::of(receiver_dir)?;
        let (deals, replies) = (handoffs.deals.len(), handoffs.replies.len());
        let (lost, twice, calls) = (handoffs.lost(&leads), handoffs.twice(&leads), self.host.model_calls()?);
        println!();
        println!("deals {deals}, replies {replies}, model calls {calls}, lost {lost}, twice {twice}");
        if (deals, replies, calls, lost, twice) != (2, 2, 2, 0, 0) {
            bail!("the promise was not kept");
        }
        Ok(())
    }
}

/// What became of an attempt, and why.
fn attempt_words(attempt: &Value) -> anyhow::Result<(&'static str, String)> {
    let (row, detail) = (short(text(attempt, "row_id")), text(attempt, "detail"));
    Ok(match (attempt["outcome"].as_str(), attempt["attempt"].as_u64()) {
        (Some("again"), _) => {
            ("unknown", format!("row {row} may have been applied; it is kept, under the same key"))
        }
        (Some("sent"), Some(1)) => ("sent", format!("row {row}: {detail}")),
        (Some("sent"), Some(number)) => {
            ("recovered", format!("row {row}, attempt {number}: the receiver knows the key; {detail}"))
        }
        other => bail!("an attempt had the unexpected outcome {other:?}: {attempt}"),
    })
}

/// What the evidence says about the model.
fn asked(evidence: &Value) -> String {
    let decided = evidence.as_array().into_iter().flatten().filter(|line| line["kind"] == "decided").count();
    format!("{decided} decision on record, so the model is not asked again")
}

fn text<'a>(value: &'a Value, member: &str) -> &'a str {
    value[member].as_str().unwrap_or_default()
}

fn short(id: &str) -> &str {
    id.get(..8).unwrap_or(id)
}

/// An event file as a web form would send it; `shuffled` changes the order of members and the white space.
fn lead(message_id: &str, text: &str, received: &str, shuffled: bool) -> String {
    let received = format!("2026-11-29T{received}Z");
    if shuffled {
        return format!(
            "{{ \"data\": {{ \"text\": {}, \"received_at\": \"{received}\",\n \"contact\": {{ \"email\": \"ada@example.com\", \"name\": \"Ada\" }} }},\n \"time\": \"2026-11-29T10:00:00Z\", \"id\": \"{message_id}\", \"source\": \"web-form\" }}",
            json!(text)
        );
    }
    json!({
        "source": "web-form",
        "id": message_id,
        "time": "2026-11-29T10:00:00Z",
        "data": {
            "contact": { "name": "Ada", "email": "ada@example.com" },
            "text": text,
            "received_at": received,
        },
    })
    .to_string()
}
