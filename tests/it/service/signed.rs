//! Webhooks of providers that sign: only what is proved is kept.

use crate::service::served::{check, work_of};
use serde_json::json;
use support::paths;
use support::receiver::client::Exchange;
use support::service::Service;
use support::webhook::{Signer, now_s};
use support::workspace::Workspace;

const SECRET: &str = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";
const OLD_SECRET: &str = "whsec_b2xkLXNlY3JldC1vbGQtc2VjcmV0LW9sZA==";

/// A host with a source for each provider, whose events are work for this step.
fn served(dir: &std::path::Path, step: &str) -> Service {
    let mut config = format!(
        "[runtime]\ncache_dir = {:?}\n[[step]]\nplugin = {:?}\n",
        paths::compile_cache().display().to_string(),
        paths::step(step).display().to_string()
    );
    for signer in Signer::ALL {
        let kind = signer.kind();
        config.push_str(&format!(
            "[source.{kind}]\nkind = {kind:?}\nsecrets = [{{ env = \"OLD\" }}, {{ env = \"SECRET\" }}]\n"
        ));
    }
    config.push_str("[source.form]\nkind = \"json\"\nid = { pointer = \"/id\" }\n");
    let workspace = Workspace::with_config(dir, &config).expect("a workspace");
    let mut command = workspace.command(&[]);
    command.env("SECRET", SECRET).env("OLD", OLD_SECRET);
    Service::spawn(command)
}

fn send(host: &Service, signer: Signer, headers: &[(&'static str, String)], body: &str) -> Exchange {
    let headers: Vec<(&str, &str)> = headers.iter().map(|(name, value)| (*name, value.as_str())).collect();
    let path = format!("/v1/sources/{}/events", signer.kind());
    host.send_with(None, "POST", &path, &headers, body.as_bytes())
}

#[test]
fn only_what_is_proved_is_kept_whoever_signs() {
    let dir = tempfile::tempdir().expect("a temporary folder");
    let host = served(dir.path(), "echo");
    for signer in Signer::ALL {
        let body = signer.body("msg-1");
        let at = now_s();
        let good = signer.headers(SECRET, "msg-1", at, body.as_bytes());
        let first = check(&send(&host, signer, &good, &body), 202, "accepted");
        // A retry of the provider is signed anew, while a secret is exchanged perhaps with the other one.
        let again = signer.headers(OLD_SECRET, "msg-1", at + 1, body.as_bytes());
        assert_eq!(work_of(&check(&send(&host, signer, &again, &body), 200, "duplicate")), work_of(&first));
        let refused = |headers: &[(&'static str, String)], body: &str| {
            check(&send(&host, signer, headers, body), 401, "bad-signature");
        };
        refused(&[], &body);
        refused(&good, &body.replace('}', " }"));
        refused(&signer.headers("whsec_c29tZWJvZHktZWxzZQ==", "msg-2", at, body.as_bytes()), &body);
        for (name, _) in &good {
            let without: Vec<_> = good.iter().filter(|(other, _)| other != name).cloned().collect();
            let answer = send(&host, signer, &without, &body);
            assert!(
                matches!(answer.status(), Some(400 | 401)) || *name == "X-GitHub-Event",
                "{name}: {}",
                answer.text()
            );
            for rubbish in ["", "é", "v1,", "t=,v1=", "sha256=zz", "v0=00", "99999999999999999999"] {
                let broken: Vec<_> = good
                    .iter()
                    .map(|(other, value)| {
                        (*other, if other == name { rubbish.to_owned() } else { value.clone() })
                    })
                    .collect();
                let answer = send(&host, signer, &broken, &body);
                let fine = *name == "X-GitHub-Event" || *name == "X-GitHub-Delivery";
                assert!(
                    fine || matches!(answer.status(), Some(400 | 401)),
                    "{name}: {rubbish:?}: {}",
                    answer.text()
                );
                assert!(answer.status().is_some_and(|status| status < 500), "{}", answer.text());
            }
        }
        if signer != Signer::Github {
            // Too old, and from the future.
            for at in [at - 3_600, at + 3_600] {
                refused(&signer.headers(SECRET, "msg-3", at, body.as_bytes()), &body);
            }
        }
    }
}

/// Send a request as somebody has seen it, under this id where its provider does not sign the id.
fn send_seen(
    host: &Service,
    signer: Signer,
    seen: &[(&'static str, String)],
    id: &str,
    body: &str,
) -> Exchange {
    let under = |(name, value): &(&'static str, String)| {
        (*name, if *name == "X-GitHub-Delivery" { id.to_owned() } else { value.clone() })
    };
    send(host, signer, &seen.iter().map(under).collect::<Vec<_>>(), body)
}

#[test]
fn a_request_that_somebody_has_seen_is_a_repeat_when_it_is_sent_again() {
    let dir = tempfile::tempdir().expect("a temporary folder");
    let host = served(dir.path(), "echo");
    for signer in Signer::ALL {
        let body = signer.body("msg-1");
        let seen = signer.headers(SECRET, "msg-1", now_s(), body.as_bytes());
        let first = check(&send(&host, signer, &seen, &body), 202, "accepted");
        let again = check(&send_seen(&host, signer, &seen, "msg-1", &body), 200, "duplicate");
        assert_eq!(work_of(&again), work_of(&first), "{signer:?}");
    }
}

/// GitHub signs neither id nor time, so that only a contract that looks into the payload stops this.
#[test]
fn a_github_request_that_somebody_has_seen_is_new_under_another_id_unless_its_payload_is_its_identity() {
    for (step, status, verdict) in [("echo", 202, "accepted"), ("lead_sum", 200, "duplicate")] {
        let dir = tempfile::tempdir().expect("a temporary folder");
        let host = served(dir.path(), step);
        let body = r#"{"id": "L1", "amount": 1}"#;
        let seen = Signer::Github.headers(SECRET, "delivery-1", now_s(), body.as_bytes());
        check(&send(&host, Signer::Github, &seen, body), 202, "accepted");
        check(&send_seen(&host, Signer::Github, &seen, "delivery-2", body), status, verdict);
    }
}

#[test]
fn a_source_that_signs_nothing_asks_for_a_token_that_may_invoke() {
    let dir = tempfile::tempdir().expect("a temporary folder");
    let host = served(dir.path(), "echo");
    let send = |token: Option<&str>| {
        let body = br#"{"id": "m1"}"#;
        host.send_with(token, "POST", "/v1/sources/form/events", &[], body)
    };
    check(&send(None), 401, "unauthenticated");
    check(&send(Some("guessed")), 401, "unauthenticated");
    let made = |verbs: &[&str]| {
        let new = json!({ "name": "a test", "verbs": verbs, "why": "a test" });
        check(&host.post("/v1/tokens", &new), 200, "applied")["token"].as_str().map(str::to_owned)
    };
    check(&send(made(&["operate"]).as_deref()), 403, "forbidden");
    assert_eq!(host.get("/v1/works").json().expect("a list")["works"], json!([]));
    check(&send(made(&["invoke"]).as_deref()), 202, "accepted");
}

#[test]
fn a_providers_question_is_answered_and_is_no_work() {
    let dir = tempfile::tempdir().expect("a temporary folder");
    let host = served(dir.path(), "echo");
    let body = json!({ "type": "url_verification", "challenge": "3eZbrw1aBm2rZgRNFdxV2595E9CY3gmdALWMmHkvFXO7tYXAYM8P" });
    let body = body.to_string();
    let asked =
        send(&host, Signer::Slack, &Signer::Slack.headers(SECRET, "", now_s(), body.as_bytes()), &body);
    assert_eq!(asked.status(), Some(200));
    assert_eq!(asked.body(), b"3eZbrw1aBm2rZgRNFdxV2595E9CY3gmdALWMmHkvFXO7tYXAYM8P");
    check(&send(&host, Signer::Slack, &[], &body), 401, "bad-signature");
    assert_eq!(host.get("/v1/works").json().expect("a list")["works"], json!([]));
}
