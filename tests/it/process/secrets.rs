//! Credentials are planted wherever one may be, and none of them comes out: not in what is printed or logged, not in the
//! ledger, its journal or any other file that the host writes.

use super::Stage;
use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt as _;
use std::path::Path;
use support::model_server::ModelServer;
use support::paths;

/// What every planted credential holds.
const MARK: &str = "sk-live-4815162342";

struct Vault {
    stage: Stage,
    config: String,
}

impl Vault {
    fn new() -> Self {
        let stage = Stage::new(&[]);
        stage.host.lead("lead.json", "msg-1", "What is the price?").expect("an event");
        stage.host.write("crm.secret", &format!("Bearer {MARK}-of-the-file\n")).expect("a file");
        stage.host.write("two-lines.secret", &format!("Bearer a\nX: {MARK}")).expect("a file");
        std::fs::write(stage.host.dir().join("latin.secret"), [MARK.as_bytes(), b"\xff"].concat())
            .expect("a file");
        let config = super::text(&stage.host.dir().join("onceward.toml"));
        Self { stage, config }
    }

    fn authorise(&self, line: &str) {
        let config = self.config.replace("tier = \"key\"", &format!("tier = \"key\"\n{line}"));
        self.stage.host.write("onceward.toml", &config).expect("a configuration");
    }

    /// The command ends with this code, says these words, and shows no credential.
    #[track_caller]
    fn check(&self, args: &[&str], variable: &OsStr, code: i32, said: &str) {
        let output = self
            .stage
            .host
            .command(args)
            .env("CRM_AUTHORIZATION", variable)
            .env("ONCEWARD_LOG", "trace")
            .output()
            .expect("it starts");
        let text = [output.stdout, output.stderr].concat();
        let text = String::from_utf8_lossy(&text);
        assert_eq!(output.status.code(), Some(code), "{args:?}: {text}");
        assert!(text.contains(said), "{args:?} should say {said:?}, but says:\n{text}");
        assert!(!text.contains(MARK), "{args:?} shows a credential:\n{text}");
        assert_eq!(leaks(self.stage.host.dir()), Vec::<String>::new(), "{args:?} writes a credential");
    }
}

/// Files with the mark that are not the ones it was planted in.
fn leaks(dir: &Path) -> Vec<String> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(dir).expect("a folder") {
        let path = entry.expect("an entry").path();
        if path.is_dir() {
            found.extend(leaks(&path));
            continue;
        }
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let bytes = std::fs::read(&path).expect("a readable file");
        let marked = bytes.windows(MARK.len()).any(|window| window == MARK.as_bytes());
        if marked && name != "onceward.toml" && !name.ends_with(".secret") {
            found.push(name);
        }
    }
    found
}

/// The compiled steps with their bytes. They are packed, so that looking for the mark in them would find nothing.
fn compiled(cache: &Path) -> BTreeMap<String, Vec<u8>> {
    let mut found = BTreeMap::new();
    for entry in std::fs::read_dir(cache).expect("a folder") {
        let path = entry.expect("an entry").path();
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        if path.is_dir() {
            found.extend(compiled(&path));
        } else if !name.ends_with(".stats") {
            found.insert(name, std::fs::read(&path).expect("a readable file"));
        }
    }
    found
}

#[test]
fn a_credential_in_the_wrong_place_is_refused_and_not_repeated() {
    let vault = Vault::new();
    let (set, run) = (OsStr::new("Bearer x"), &["run", "lead.json", "--deliver"][..]);
    for (line, said) in [
        (format!("authorization = \"Bearer {MARK}\""), "never stands in this file"),
        (format!("authorization = {{ env = \"Bearer {MARK}\" }}"), "never stands in this file"),
        (format!("authorization = {{ token = \"{MARK}\" }}"), "never stands in this file"),
        (format!("authorization = {{ file = \"{MARK}\" }}"), "`authorization.file` names can't be read"),
        (format!("authorization = {{ env = \"{}\" }}", MARK.replace('-', "_")), "is not set"),
        (format!("authorization = \"Bearer {MARK}"), "line "),
        (format!("authorization = Bearer {MARK}"), "line "),
        (format!("concurrency = \"{MARK}\""), "expected u32"),
        (format!("api_key = \"{MARK}\""), "unknown field `api_key`"),
    ] {
        vault.authorise(&line);
        vault.check(run, set, 1, said);
    }
    let with_user = vault.config.replace("http://", &format!("http://{MARK}@"));
    vault.stage.host.write("onceward.toml", &with_user).expect("a configuration");
    vault.check(run, set, 1, "user name or password");
    let in_query = vault.config.replace("/deals\"", &format!("/deals?api_key={MARK}\""));
    assert_ne!(in_query, vault.config);
    vault.stage.host.write("onceward.toml", &in_query).expect("a configuration");
    vault.check(run, set, 1, "a credential in its parameter \"api_key\"");
}

#[test]
fn a_credential_that_cannot_be_used_is_refused_and_not_repeated() {
    let vault = Vault::new();
    let run = &["run", "lead.json", "--deliver"][..];
    vault.authorise("authorization = { env = \"CRM_AUTHORIZATION\" }");
    vault.check(run, OsStr::from_bytes(&[MARK.as_bytes(), b"\xff"].concat()), 1, "no UTF-8");
    vault.check(run, OsStr::new(&format!("Bearer a\nX: {MARK}")), 1, "control characters");
    vault.check(run, OsStr::new(" "), 1, "is empty");
    vault.authorise("authorization = { file = \"latin.secret\" }");
    vault.check(run, OsStr::new(""), 1, "no UTF-8");
    vault.authorise("authorization = { file = \"two-lines.secret\" }");
    vault.check(run, OsStr::new(""), 1, "control characters");
    vault.authorise("authorization = { file = \"/dev/zero\" }");
    vault.check(run, OsStr::new(""), 1, "longer than");
}

#[test]
fn a_credential_in_use_stays_in_use_alone() {
    let vault = Vault::new();
    let variable = format!("Bearer {MARK}-of-the-environment");
    let variable = OsStr::new(&variable);
    let (crm, host) = (&vault.stage.crm, &vault.stage.host);
    vault.authorise("authorization = { env = \"CRM_AUTHORIZATION\" }");
    crm.fault(&["status:500", "status:401"]).expect("faults");
    vault.check(&["run", "lead.json", "--deliver", "--wait", "20"], variable, 3, "paused");
    vault.check(
        &["unpause", "destination", "crm", "--by", "Noor", "--why", "mended"],
        variable,
        0,
        "goes on",
    );
    vault.authorise("authorization = { file = \"crm.secret\" }\nauthorization_header = \"X-Api-Key\"");
    let killed = host
        .command(&["deliver", "--wait", "20"])
        .env(onceward::crash_point::VARIABLE, "receipt-recorded")
        .output()
        .expect("it starts");
    assert!(support::workspace::killed(killed.status));
    assert!(host.dir().join("onceward.db-wal").exists(), "a journal to look through");
    vault.check(&["outbox", "list"], variable, 0, "sent");
    vault.check(&["resume", "--deliver"], variable, 0, "outbox: 1 sent");
    vault.check(&["work", "show", "crm-writer:v1:web-form:msg-1"], variable, 0, "deal-1");
    host.write("onceward.toml", &vault.config).expect("a configuration");
    vault.stage.assert_once(&["msg-1".to_owned()]);
}

#[test]
fn the_key_of_a_model_stays_in_its_request_alone() {
    let vault = Vault::new();
    let host = &vault.stage.host;
    let provider = ModelServer::start().expect("a provider");
    host.ask_over_http(&provider.base_url(), "").expect("a configuration");
    provider.order(&["status:500", "echo", "status:503"]).expect("moods");
    let unset = OsStr::new("");
    vault.check(&["run", "lead.json"], unset, 0, "not enriched");
    host.lead("next.json", "msg-2", "What is the price?").expect("an event");
    provider.order(&["status:401"]).expect("a mood");
    vault.check(&["run", "next.json"], unset, 0, "not enriched");
    vault.check(&["decision", "list"], unset, 0, "classifier");
    vault.check(&["work", "show", "lead-classifier:v1:web-form:msg-1"], unset, 0, "3 calls");
    vault.check(&["work", "show", "lead-classifier:v1:web-form:msg-2"], unset, 0, "renew the key");
    let key = format!("Bearer {MARK}-of-the-model");
    assert!(provider.heard().iter().all(|heard| heard.authorization.as_deref() == Some(&key)));

    let config = super::text(&host.dir().join("onceward.toml"));
    let env = "api_key = { env = \"MODEL_KEY\" }";
    for (line, said) in [
        (format!("api_key = \"{MARK}\""), "never stands in this file"),
        (format!("api_key = {{ env = \"{}\" }}", MARK.replace('-', "_")), "`api_key.env` names is not set"),
        ("api_key = { file = \"two-lines.secret\" }".to_owned(), "`api_key` names can't be an Authorization"),
        ("api_key = { file = \"latin.secret\" }".to_owned(), "no UTF-8"),
    ] {
        host.write("onceward.toml", &config.replace(env, &line)).expect("a configuration");
        vault.check(&["run", "lead.json"], unset, 1, said);
    }
}

#[test]
fn no_credential_leaves_the_flow_though_everybody_quotes_it_and_everything_fails() {
    let vault = Vault::new();
    let host = &vault.stage.host;
    let (model, crm) = (ModelServer::start().expect("a provider"), ModelServer::start().expect("a receiver"));
    // The receiver is one that quotes the credential in its errors and in its receipt.
    let config = vault
        .config
        .replace(&paths::compile_cache().display().to_string(), ".onceward/cache")
        .replace(&vault.stage.crm.url("/deals"), &format!("{}/chat/completions", crm.base_url()))
        .replace("tier = \"key\"", "tier = \"key\"\nauthorization = { env = \"CRM_AUTHORIZATION\" }");
    host.write("onceward.toml", &config).expect("a configuration");
    host.ask_over_http(&model.base_url(), "").expect("a configuration");
    let config = super::text(&host.dir().join("onceward.toml"));
    let variable = format!("Bearer {MARK}-of-the-environment");
    let check = |args: &[&str], code: i32, said: &str| {
        vault.check(&[&["--verbose"], args].concat(), OsStr::new(&variable), code, said);
    };
    check(&["step", "list"], 0, "destination crm");
    let steps = compiled(&host.dir().join(".onceward/cache"));
    assert!(steps.len() >= 2, "two compiled steps: {:?}", steps.keys());

    host.write("onceward.toml", &config.replace("127.0.0.1", "nowhere.invalid")).expect("a configuration");
    check(&["run", "lead.json", "--deliver"], 3, "nowhere.invalid");
    host.write("onceward.toml", &config).expect("a configuration");
    model.order(&["status:401", "echo", "echo", "echo"]).expect("moods");
    crm.order(&["status:500", "status:401"]).expect("moods");
    host.lead("next.json", "msg-2", "What is the price?").expect("an event");
    check(&["run", "next.json", "--deliver", "--wait", "20"], 3, "paused");
    check(&["unpause", "destination", "crm", "--by", "Noor", "--why", "mended"], 0, "goes on");
    crm.order(&["echo", "echo"]).expect("moods");
    host.lead("last.json", "msg-3", "What is the price?").expect("an event");
    check(&["run", "last.json", "--deliver", "--wait", "20"], 0, "sent");
    for args in [
        &["work", "list"][..],
        &["work", "show", "lead-classifier:v1:web-form:msg-2"],
        &["work", "show", "crm-writer:v1:web-form:msg-2"],
        &["work", "show", "crm-writer:v1:web-form:msg-3", "--json"],
        &["decision", "list", "--json"],
        &["outbox", "list", "--json"],
        &["destination", "list", "--json"],
        &["step", "show", "crm-writer", "--json"],
    ] {
        check(args, 0, "");
    }
    for (server, key) in [(&model, format!("Bearer {MARK}-of-the-model")), (&crm, variable.clone())] {
        let heard = server.heard();
        assert!(!heard.is_empty(), "nobody called it");
        assert!(heard.iter().all(|heard| heard.authorization.as_ref() == Some(&key)), "{heard:?}");
    }
    assert!(compiled(&host.dir().join(".onceward/cache")) == steps, "the compiled steps have changed");
}
