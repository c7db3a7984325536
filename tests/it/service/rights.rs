//! Who may look at works and decide about them.

use crate::dead_letters::open;
use crate::service::served::{check, work_of};
use onceward::store::Tokens as _;
use onceward::store::operate::Actor;
use onceward::store::token::{NewToken, TokenCreated, Verb, hash};
use serde_json::json;
use support::paths;
use support::receiver::client::Exchange;
use support::service::Service;
use support::workspace::Workspace;

/// Make a token whose secret is its id.
async fn make(workspace: &Workspace, id: &str, namespace: &str, person: Option<&str>, verbs: &[Verb]) {
    let store = open(&workspace.dir().join("onceward.db"));
    let new = NewToken {
        id: id.to_owned(),
        namespace: namespace.to_owned(),
        name: format!("token {id}"),
        person: person.map(str::to_owned),
        verbs: verbs.iter().copied().collect(),
        hash: hash(id),
    };
    let actor = Actor { name: "Noor".to_owned(), reason: "a test".to_owned(), action: None };
    let created = store.token_create(new, actor).await.expect("the ledger works");
    assert_eq!(created, TokenCreated::Applied);
}

#[tokio::test]
async fn each_act_takes_its_verb_and_nobody_sees_the_works_of_another_namespace() {
    let dir = tempfile::tempdir().expect("a temporary folder");
    let config = format!(
        "[runtime]\ncache_dir = {:?}\n[serve]\nnamespaces = [\"elsewhere\"]\n[[step]]\nplugin = {:?}\n",
        paths::compile_cache().display().to_string(),
        paths::step("reviews").display().to_string()
    );
    let workspace = Workspace::with_config(dir.path(), &config).expect("a workspace");
    make(&workspace, "invoker", "default", None, &[Verb::Invoke]).await;
    make(&workspace, "operator", "default", Some("Noor"), &[Verb::Operate]).await;
    make(&workspace, "admin", "default", None, &[Verb::Admin]).await;
    make(&workspace, "stranger", "elsewhere", None, &[Verb::Operate, Verb::Admin, Verb::Invoke]).await;
    let service = Service::start(&workspace);
    assert_eq!(service.token(), None, "the ledger has tokens");
    let send = |token: &str, method: &str, path: &str, body: &str| -> Exchange {
        service.send_with(Some(token), method, path, &[], body.as_bytes())
    };
    let event = json!({ "source": "test", "id": "m1", "data": {} }).to_string();
    let invoked = send("invoker", "POST", "/v1/steps/reviews/invoke", &event);
    let work = work_of(&check(&invoked, 202, "in-review"));

    let said = json!({ "why": "looked at it" }).to_string();
    let again = json!({ "as": "again", "why": "looked at it" }).to_string();
    let one = format!("/v1/works/{work}");
    let act = |act: &str| format!("/v1/works/{work}/{act}");
    for (method, path, body, verbs) in [
        ("GET", "/v1/works".to_owned(), "", &["operator"][..]),
        ("GET", one.clone(), "", &["operator", "invoker"]),
        ("GET", act("event"), "", &["operator"]),
        ("POST", act("replay"), &said, &["operator"]),
        ("POST", act("reject"), &said, &["operator"]),
        ("POST", act("cancel"), &said, &["operator"]),
        ("POST", act("resolve"), &again, &["operator"]),
        ("POST", act("reprocess"), &said, &["operator"]),
        ("POST", "/v1/works/replay".to_owned(), &said, &["operator"]),
        ("POST", act("erase"), &said, &["admin"]),
    ] {
        for token in ["operator", "invoker", "admin"] {
            if !verbs.contains(&token) {
                check(&send(token, method, &path, body), 403, "forbidden");
            }
        }
        check(&send("nobody", method, &path, body), 401, "unauthenticated");
        if path.starts_with(&one) {
            check(&send("stranger", method, &path, body), 404, "not-found");
        }
    }
    let listed = send("stranger", "GET", "/v1/works", "").json().expect("a list");
    assert_eq!(listed["works"], json!([]));
    let many =
        send("stranger", "POST", "/v1/works/replay", &json!({ "state": "review", "why": "x" }).to_string());
    assert_eq!(many.json().expect("an answer"), json!({ "dry_run": false, "decided": 0, "left": 0 }));

    // The token says who acts.
    check(&send("operator", "POST", &act("reject"), &said), 200, "applied");
    let whole = send("operator", "GET", &one, "").json().expect("a work");
    assert!(whole["evidence"].to_string().contains("Noor says: looked at it"), "{whole}");
    check(&send("admin", "POST", &act("erase"), &said), 200, "erased");
    let whole = send("operator", "GET", &one, "").json().expect("a work");
    assert!(whole["evidence"].to_string().contains("token admin says: looked at it"), "{whole}");
}
