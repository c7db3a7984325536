//! Credentials are planted wherever the service meets one, and none of them comes out: not in an answer, the log, a trace, or a
//! file that the host writes.

use crate::service::served::check;
use serde_json::json;
use std::fs::File;
use std::path::Path;
use support::lead_config;
use support::model_server::ModelServer;
use support::receiver::Receiver;
use support::service::Service;
use support::webhook::{Signer, now_s};
use support::workspace::{MODEL_KEY, Workspace};

/// What the webhook's secret stands for, and the credential of the CRM.
const WEBHOOK: &str = "whsec_c2stbGl2ZS00ODE1MTYyMzQyLXdlYmhvb2s=";
const CRM: &str = "Bearer sk-live-4815162342-of-the-crm";
const COLLECTOR: &str = "sk-live-4815162342-of-the-collector";

/// Everything that must not be seen anywhere.
fn planted(token: &str) -> [String; 6] {
    let bare = WEBHOOK.trim_start_matches("whsec_").to_owned();
    let crm = CRM.trim_start_matches("Bearer ").to_owned();
    [
        bare,
        crm,
        COLLECTOR.to_owned(),
        MODEL_KEY.to_owned(),
        token.to_owned(),
        "sk-live-4815162342-webhook".to_owned(),
    ]
}

/// Names of files below a folder that hold any of these, but for the configuration.
fn leaks(dir: &Path, secrets: &[String]) -> Vec<String> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(dir).expect("a folder").flatten() {
        let (path, name) = (entry.path(), entry.file_name().to_string_lossy().into_owned());
        if path.is_dir() {
            found.extend(leaks(&path, secrets));
        } else if let Ok(bytes) = std::fs::read(&path) {
            let holds =
                |secret: &&String| bytes.windows(secret.len()).any(|window| window == secret.as_bytes());
            found.extend(secrets.iter().filter(holds).map(|secret| format!("{name} holds {secret}")));
        }
    }
    found
}

#[test]
fn no_credential_comes_out_of_the_service() {
    let dir = tempfile::tempdir().expect("a temporary folder");
    let (receiver_dir, host_dir) = (dir.path().join("receiver"), dir.path().join("host"));
    let receiver = Receiver::start(&receiver_dir).expect("a receiver");
    receiver.fault(&["status:500", "lose-reply"]).expect("faults");
    let model = ModelServer::start().expect("a model");
    model.order(&["echo", "status:500", "ok"]).expect("answers");
    let middle = lead_config::middle(&receiver.url("/deals"));
    let config = middle.replace("tier = \"key\"", "tier = \"key\"\nauthorization = { env = \"CRM\" }");
    let more = format!(
        "[source.web-form]\nkind = \"standard-webhooks\"\nsecrets = [{{ env = \"WEBHOOK\" }}]\n\
         [telemetry]\ntraces = \"http://{}/traces\"\nheaders = {{ x-key = {{ env = \"COLLECTOR\" }} }}\n",
        receiver.address()
    );
    let workspace = Workspace::with_config(&host_dir, &format!("{config}\n{more}")).expect("a workspace");
    workspace.ask_over_http(&model.base_url(), "").expect("a model over HTTP");
    let log = dir.path().join("host.log");
    let mut command = workspace.command(&[]);
    command.env("WEBHOOK", WEBHOOK).env("CRM", CRM).env("COLLECTOR", COLLECTOR).env("ONCEWARD_LOG", "trace");
    command.stderr(File::create(&log).expect("a log"));
    let mut host = Service::spawn(command);
    let token = host.token().expect("the first start shows a token").to_owned();
    let secrets = planted(&token);

    let mut answers = Vec::new();
    let body = json!({
        "source": "web-form",
        "message_id": "m1",
        "contact": { "name": "Ada", "email": "ada@example.com" },
        "text": "What is the price?",
    })
    .to_string();
    let signed = Signer::StandardWebhooks.headers(WEBHOOK, "m1", now_s(), body.as_bytes());
    let mut headers: Vec<(&str, &str)> = signed.iter().map(|(name, value)| (*name, value.as_str())).collect();
    // A sender that puts a credential where none belongs has it kept nowhere.
    headers.push(("Authorization", CRM));
    headers.push(("Cookie", "session=sk-live-4815162342-webhook"));
    let path = "/v1/sources/web-form/events";
    check(&host.send_with(None, "POST", path, &headers, body.as_bytes()), 202, "accepted");
    headers.retain(|(name, _)| *name != "webhook-signature");
    answers.push(host.send_with(None, "POST", path, &headers, body.as_bytes()));
    for wrong in [&token[1..], CRM, MODEL_KEY] {
        answers.push(host.send_with(Some(wrong), "GET", "/v1/works", &[], b""));
    }
    while !host
        .get("/metrics")
        .text()
        .contains("onceward_outbox_rows{namespace=\"default\",state=\"sent\"} 1")
    {}
    for path in ["/v1/works", "/metrics", "/v1/openapi.json", "/healthz", "/readyz"] {
        answers.push(host.get(path));
    }
    let works = host.get("/v1/works").json().expect("a list");
    for work in works["works"].as_array().expect("works") {
        answers.push(host.get(&format!("/v1/works/{}", work["work_id"].as_str().expect("an id"))));
    }
    assert!(host.stop().success());

    for answer in &answers {
        let text = answer.text();
        for secret in &secrets {
            assert!(!text.contains(secret.as_str()), "{secret} is in an answer:\n{text}");
        }
    }
    assert_eq!(leaks(&host_dir, &secrets), Vec::<String>::new());
    let log = std::fs::read_to_string(&log).expect("a log");
    assert!(log.contains("request"), "the log says what happened");
    for secret in &secrets {
        assert!(!log.contains(secret.as_str()), "{secret} is in the log");
    }
}
