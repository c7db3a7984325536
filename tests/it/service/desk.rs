//! A host beside a CRM, and the tokens of those who look after it.

use crate::service::served::{Served, check, work_of};
use serde_json::{Value, json};
use std::time::{Duration, Instant};
use support::paths;
use support::receiver::client::Exchange;
use support::receiver::evidence;
use support::receiver::process::ReceiverProcess;
use tempfile::TempDir;

/// How long rows may take to come to a state. They are asked about again and again until then.
const PATIENCE: Duration = Duration::from_secs(120);

/// A second namespace beside `default`.
pub(super) const ELSEWHERE: &str = "[serve]\nnamespaces = [\"elsewhere\"]\n";

/// A new token of a namespace, made as the host's user.
pub(super) fn token(served: &Served, namespace: &str, verbs: &[&str], person: Option<&str>) -> String {
    let body = json!({ "name": "a test", "verbs": verbs, "person": person, "by": "Noor", "why": "a test" });
    let space = [("Onceward-Namespace", namespace)];
    let made = served.host.send_locally("POST", "/v1/tokens", &space, body.to_string().as_bytes());
    check(&made, 200, "applied")["token"].as_str().expect("it is shown").to_owned()
}

/// Ask with this token.
pub(super) fn ask(served: &Served, token: &str, method: &str, path: &str, body: &Value) -> Exchange {
    served.host.send_with(Some(token), method, path, &[], body.to_string().as_bytes())
}

/// Whoever has none of the verbs is refused, and whoever is of another namespace finds nothing.
pub(super) fn refuses_others(served: &Served, method: &str, path: &str, body: &Value) {
    let (invoker, stranger) = (
        token(served, "default", &["invoke", "primitives"], None),
        token(served, "elsewhere", &["invoke", "primitives", "operate", "approve", "admin"], Some("Eve")),
    );
    check(&ask(served, &invoker, method, path, body), 403, "forbidden");
    check(&ask(served, &stranger, method, path, body), 404, "not-found");
}

/// A host whose events describe the rows that go to a CRM.
pub(super) struct Desk {
    pub(super) crm: ReceiverProcess,
    pub(super) served: Served,
    crm_dir: TempDir,
}

impl Desk {
    pub(super) fn new() -> Self {
        let crm_dir = tempfile::tempdir().expect("a temporary folder");
        let crm = ReceiverProcess::spawn(&paths::binary("onceward-receiver"), crm_dir.path(), &[])
            .expect("the CRM starts");
        let more = format!(
            "{ELSEWHERE}[destination.crm]\nkind = \"http\"\nurl = \"{}\"\ntier = \"key\"\nreference = \"/id\"\n\
             allow_private_addresses = true\nretry = {{ base_ms = 20, ceiling_ms = 200 }}\n",
            crm.url("/deals")
        );
        let served = Served::new(&[("enqueues_as", "destinations = [\"crm\"]")], &more);
        Self { crm, served, crm_dir }
    }

    /// Run an event of these rows; its work.
    pub(super) fn rows(&self, id: &str, rows: &Value) -> String {
        let done = self.served.invoke("enqueues-as", id, 30.0, &json!({ "rows": rows }));
        work_of(&check(&done, 200, "done"))
    }

    /// Run an event of one held row; the row.
    pub(super) fn held(&self, id: &str) -> Value {
        let row = json!([{ "slot": "draft", "body": { "text": id }, "approval": "it speaks" }]);
        let work = self.rows(id, &row);
        self.of(&format!("work={work}"), 1).remove(0)
    }

    /// The rows that the query chooses, as soon as there are so many.
    pub(super) fn of(&self, query: &str, number: usize) -> Vec<Value> {
        let until = Instant::now() + PATIENCE;
        loop {
            let listed = self.served.host.get(&format!("/v1/rows?{query}")).json().expect("a list");
            let rows = listed["rows"].as_array().expect("a list").clone();
            if rows.len() == number {
                return rows;
            }
            assert!(Instant::now() < until, "there are not {number} of {query}: {listed}");
        }
    }

    /// The bodies that the CRM has, in order.
    pub(super) fn bodies(&self) -> Vec<Value> {
        let deals = evidence::deals(self.crm_dir.path()).expect("the CRM's file");
        deals.iter().map(|deal| serde_json::from_str(&deal.body).expect("JSON")).collect()
    }
}

/// The id of a row.
pub(super) fn id_of(row: &Value) -> &str {
    row["row_id"].as_str().unwrap_or_else(|| panic!("no row in {row}"))
}
