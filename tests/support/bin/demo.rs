//! The promise, to watch: repeats, a forged message, lost answers, a SIGKILL and an impatient person, and still one deal and
//! one reply a lead.
//!
//! Real parts alone: `onceward serve` with its SQLite ledger and six sandboxed steps, a sender of signed webhooks, the command
//! line as an operator uses it, and the receiver as a process of its own, which plays the CRM and the message service. What is
//! counted at the end comes from the receiver's file and from the model's call log.
#![expect(clippy::print_stdout, reason = "the story is for people on a terminal")]

use anyhow::{Context as _, bail};
use onceward::contract::tier::Tier;
use serde_json::{Value, json};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};
use support::handoffs::Handoffs;
use support::lead_config;
use support::paths;
use support::receiver::client::Exchange;
use support::receiver::process::ReceiverProcess;
use support::service::Service;
use support::webhook::{Signer, now_s};
use support::workspace::{Workspace, killed};

/// The secret of the sender's webhooks.
const SECRET: &str = "whsec_dGhlLXNlY3JldC1vZi10aGUtZGVtbw==";

/// A secret that somebody else made up.
const OTHER_SECRET: &str = "whsec_c29tZWJvZHktZWxzZQ==";

/// How long anything may take to come about, in seconds. The machine may be busy.
const PATIENCE_S: u64 = 120;

fn main() -> anyhow::Result<()> {
    let dir = PathBuf::from(std::env::args_os().nth(1).context("usage: onceward-demo FOLDER")?);
    if dir.exists() {
        std::fs::remove_dir_all(&dir).context("clearing the folder of the last demo")?;
    }
    let receiver_dir = dir.join("receiver");
    std::fs::create_dir_all(&receiver_dir)?;
    let receiver = ReceiverProcess::spawn(&paths::binary("onceward-receiver"), &receiver_dir, &[])?;
    let source =
        "[source.web-form]\nkind = \"standard-webhooks\"\nsecrets = [{ env = \"WEBHOOK_SECRET\" }]\n";
    let config = format!("{}\n{source}", lead_config::whole(&receiver.url(""), Tier::Key));
    let workspace = Workspace::with_config(&dir.join("host"), &config)?;
    let host = start(&workspace, None)?;
    let mut story = Story { workspace, host, receiver, rows: Vec::new() };
    story.tell()?;
    story.end(&receiver_dir)
}

/// Start the host; with a crash point it kills itself there.
fn start(workspace: &Workspace, crash_point: Option<&str>) -> anyhow::Result<Service> {
    let mut command = workspace.command(&[]);
    let log = std::fs::File::options().create(true).append(true).open(workspace.dir().join("host.log"));
    command.env("WEBHOOK_SECRET", SECRET).stderr(log.context("opening the host's log")?);
    if let Some(point) = crash_point {
        command.env(onceward::crash_point::VARIABLE, point);
    }
    Ok(Service::spawn(command))
}

struct Story {
    workspace: Workspace,
    host: Service,
    receiver: ReceiverProcess,
    rows: Vec<[String; 3]>,
}

impl Story {
    fn tell(&mut self) -> anyhow::Result<()> {
        println!(
            "Two leads arrive as webhooks, go through sandboxed steps into a CRM, and get a reply. The world misbehaves; watch what happens.\n"
        );
        let first = self.first_lead()?;
        let second = self.second_lead()?;
        self.replies(&first, &second)?;
        let stopped = self.host.stop();
        self.say(
            "the host is told to stop (SIGTERM)",
            "stopped",
            format!("{stopped}; nothing was under way"),
        );
        Ok(())
    }

    /// It comes three times, and the CRM's answer is lost.
    fn first_lead(&mut self) -> anyhow::Result<String> {
        self.receiver.fault(&["lose-reply"])?;
        let price = "What is the price of a pallet?";
        let arrived = self.deliver("msg-1", SECRET, &lead(price, "10:00:01", false))?;
        let work = self.answered("a lead arrives", &arrived, 202, "accepted")?;
        let again = self.deliver("msg-1", SECRET, &lead(price, "10:00:07", false))?;
        self.answered("the webhook sends it again", &again, 200, "duplicate")?;
        let shuffled = self.deliver("msg-1", SECRET, &lead(price, "10:04:33", true))?;
        self.answered("and a third time, members in another order", &shuffled, 200, "duplicate")?;
        let forged = self.deliver("msg-9", OTHER_SECRET, &lead(price, "10:05:00", false))?;
        if forged.status() != Some(401) {
            bail!("a forged message was answered {}", forged.text());
        }
        self.say("somebody else sends one", "refused", "its signature does not hold; nothing of it is kept");
        self.sent("the CRM's answer is lost; the row goes out again", &work, "crm", 2)?;
        self.sent("the deal's owner is set, under the id in the receipt", &work, "crm-owner", 1)?;
        Ok(work)
    }

    /// The host dies over it, and its sender can't know what became of it.
    fn second_lead(&mut self) -> anyhow::Result<String> {
        self.host.stop();
        self.host = start(&self.workspace, Some("decision-recorded"))?;
        let broken = "The last pallet arrived broken.";
        // Whether the answer still comes is chance: the host dies over the work that it has just acknowledged.
        let _ = self.deliver("msg-2", SECRET, &lead(broken, "11:30:00", false));
        let ended = self.host.wait();
        if !killed(ended) {
            bail!("the host should have died after the decision, and ended with {ended}");
        }
        self.say(
            "a second lead; the host is killed (SIGKILL) over it",
            "cut off",
            "the model's answer is in the ledger, the CRM knows nothing yet",
        );
        self.host = start(&self.workspace, None)?;
        let again = self.deliver("msg-2", SECRET, &lead(broken, "11:30:00", false))?;
        let work =
            self.answered("the host is started again, and so is the delivery", &again, 200, "duplicate")?;
        let what = "the work goes on by itself";
        let classified = self.until(what, &work, |family| {
            let parts = family["works"].as_array()?;
            let done = |part: &&Value| {
                (text(&part["work"], "step"), text(&part["work"], "state")) == ("lead-classifier", "done")
            };
            parts.iter().find(done).cloned()
        })?;
        let (attempt, decided) =
            (&classified["work"]["attempt"], classified["decisions"].as_array().map_or(0, Vec::len));
        let why = format!("attempt {attempt}; {decided} decision on record, so the model is not asked again");
        self.say(what, "recovered", why);
        self.sent("its deal goes out", &work, "crm", 1)?;
        self.sent("and gets its owner", &work, "crm-owner", 1)?;
        Ok(work)
    }

    /// Nothing is said before a person has approved it, and nothing twice after it.
    fn replies(&mut self, first: &str, second: &str) -> anyhow::Result<()> {
        let drafts = self.drafts(2)?;
        let [of_second, of_first] = &drafts[..] else { bail!("expected two drafts: {drafts:?}") };
        self.receiver.fault(&["lose-reply"])?;
        self.approves("a person approves the first reply", of_first)?;
        self.approves("and clicks once more", of_first)?;
        self.sent("the reply's answer is lost; it goes out again", first, "messages", 2)?;
        self.approves("the second reply is approved", of_second)?;
        self.sent("and sent", second, "messages", 1)
    }

    /// Send a signed webhook.
    fn deliver(&self, id: &str, secret: &str, body: &str) -> anyhow::Result<Exchange> {
        let signed = Signer::StandardWebhooks.headers(secret, id, now_s(), body.as_bytes());
        let headers: Vec<(&str, &str)> = signed.iter().map(|(name, value)| (*name, value.as_str())).collect();
        let path = "/v1/sources/web-form/events";
        support::receiver::client::send(self.host.address(), "POST", path, &headers, body.as_bytes())
    }

    /// The answer is the expected one; say so. The work it is about.
    fn answered(
        &mut self,
        what: &str,
        answer: &Exchange,
        status: u16,
        verdict: &str,
    ) -> anyhow::Result<String> {
        let body = answer.json()?;
        if (answer.status(), text(&body, "verdict")) != (Some(status), verdict) {
            bail!("{what}: expected {status} {verdict}, got {}", answer.text());
        }
        let work = text(&body, "work_id").to_owned();
        let why = match verdict {
            "accepted" => "on disk before the answer",
            _ => "known before; nothing is added",
        };
        self.say(what, verdict, format!("work {}: {why}", short(&work)));
        Ok(work)
    }

    /// Read all that came of a work until what is looked for is in it.
    fn until<T>(&self, what: &str, work: &str, find: impl Fn(&Value) -> Option<T>) -> anyhow::Result<T> {
        let until = Instant::now() + Duration::from_secs(PATIENCE_S);
        loop {
            let path = format!("/v1/works/{work}?family=true");
            let family = self.host.send_locally("GET", &path, &[], b"").json()?;
            if let Some(found) = find(&family) {
                return Ok(found);
            }
            if Instant::now() > until {
                bail!("{what}: it does not come about: {family}");
            }
        }
    }

    /// The row to this destination is sent, in so many attempts; say so.
    fn sent(&mut self, what: &str, work: &str, destination: &str, attempts: u64) -> anyhow::Result<()> {
        let row = self.until(what, work, |family| {
            let parts = family["works"].as_array().into_iter().flatten();
            let mut rows = parts.flat_map(|part| part["rows"].as_array().into_iter().flatten());
            rows.find(|row| (text(row, "destination"), text(row, "state")) == (destination, "sent")).cloned()
        })?;
        if row["attempt"].as_u64() != Some(attempts) {
            bail!("{what}: expected it sent in {attempts} attempts, and it is {row}");
        }
        let (id, reference) = (short(text(&row, "row_id")), text(&row, "external_reference"));
        let why = match attempts {
            1 => format!("row {id}: reference {reference}"),
            _ => format!("row {id}, {attempts} attempts, same key, same bytes: reference {reference}"),
        };
        self.say(what, "sent", why);
        Ok(())
    }

    /// The drafts that wait for a person, once there are so many; the newest first.
    fn drafts(&self, number: usize) -> anyhow::Result<Vec<String>> {
        let until = Instant::now() + Duration::from_secs(PATIENCE_S);
        loop {
            let held = self.workspace.json(&["outbox", "list", "--state", "held"])?;
            let drafts: Vec<String> =
                held.as_array().into_iter().flatten().map(|row| text(row, "row_id").to_owned()).collect();
            if drafts.len() == number {
                return Ok(drafts);
            }
            if Instant::now() > until {
                bail!("expected {number} drafts: {held}");
            }
        }
    }

    /// A person approves a row on the command line, which asks the running host.
    fn approves(&mut self, what: &str, row: &str) -> anyhow::Result<()> {
        let told = self.workspace.json(&["outbox", "approve", row, "--by", "Noor", "--why", "reads well"])?;
        let (verdict, why) = match text(&told, "verdict") {
            "applied" => ("approved", format!("row {} goes out as it is, to the letter", short(row))),
            "already" => {
                let by = text(&told, "approved_by");
                ("approved already", format!("row {} was approved by {by}; it is one approval", short(row)))
            }
            other => bail!("{what}: unexpected verdict {other:?}: {told}"),
        };
        self.say(what, verdict, why);
        Ok(())
    }

    fn say(&mut self, what: &str, verdict: &str, why: impl Into<String>) {
        self.rows.push([what.to_owned(), verdict.to_owned(), why.into()]);
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
        let (lost, twice) = (handoffs.lost(&leads), handoffs.twice(&leads));
        let calls = self.workspace.model_calls()?;
        println!();
        println!("deals {deals}, replies {replies}, model calls {calls}, lost {lost}, twice {twice}");
        if (deals, replies, calls, lost, twice) != (2, 2, 2, 0, 0) {
            bail!("the promise was not kept");
        }
        Ok(())
    }
}

fn text<'a>(value: &'a Value, member: &str) -> &'a str {
    value[member].as_str().unwrap_or_default()
}

fn short(id: &str) -> &str {
    id.get(..8).unwrap_or(id)
}

/// A message as a web form would send it; `shuffled` changes the order of members and the white space.
fn lead(text: &str, received: &str, shuffled: bool) -> String {
    let received = format!("2026-11-29T{received}Z");
    if shuffled {
        return format!(
            "{{ \"text\": {}, \"received_at\": \"{received}\",\n \"contact\": {{ \"email\": \"ada@example.com\", \"name\": \"Ada\" }} }}",
            json!(text)
        );
    }
    let contact = json!({ "name": "Ada", "email": "ada@example.com" });
    json!({ "contact": contact, "text": text, "received_at": received }).to_string()
}
