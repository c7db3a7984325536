//! What a configuration may say.

use super::{Config, DEFAULT, DestinationConfig, without_value};
use crate::dispatch::retry::RetryPolicy;
use crate::inbound::signature::DEFAULT_TOLERANCE_S;
use crate::models::patience::Patience;
use crate::runtime::limits::Limits;
use proptest::prelude::*;
use proptest::sample::{Index, select};

fn read(text: &str) -> anyhow::Result<Config> {
    Config::read(text)
}

#[test]
fn the_commented_default_is_a_valid_configuration_and_so_is_what_its_comments_propose() {
    read(DEFAULT).unwrap();
    let proposed = uncommented(DEFAULT, "# ");
    let config = read(&proposed).unwrap();
    assert_eq!(config.flow.len(), 2);
    assert_eq!(config.steps.len(), 2);
    let said_to_be_the_defaults = &config.steps[1];
    assert_eq!(said_to_be_the_defaults.limits, Limits::default());
    assert_eq!(said_to_be_the_defaults.retry, RetryPolicy::default());
    assert_eq!(config.models.len(), 2);
    assert!(config.models.values().all(|model| model.patience() == Patience::default()));
    assert_eq!(config.destinations.len(), 3);
    assert_eq!(config.sources.len(), 2);
    assert_eq!(config.sources["billing"].tolerance_s, Some(DEFAULT_TOLERANCE_S), "said to be the default");
    let all = uncommented(&proposed, "# # ");
    assert!(all.len() < proposed.len(), "there are proposals within proposals");
    let config = read(&all).unwrap();
    let DestinationConfig::Http(crm) = &config.destinations["crm"];
    assert!(crm.hold && crm.rate.is_some());
    assert_eq!(crm.same_text.as_ref().map(|same| same.within_hours), Some(24));
    assert!(config.sources["form"].open && config.sources["billing"].step.is_some());
}

/// The text with its proposals taken at their word.
fn uncommented(text: &str, mark: &str) -> String {
    text.lines()
        .map(|line| line.strip_prefix(mark).filter(|rest| is_proposal(rest)).unwrap_or(line))
        .filter(|line| *line != "flow = []")
        .collect::<Vec<_>>()
        .join("\n")
}

fn is_proposal(line: &str) -> bool {
    line.starts_with('[') || line.split_once(" = ").is_some_and(|(name, _)| !name.contains(' '))
}

/// A configuration with one of each, in which every case changes one line.
const WHOLE: &str = r#"
namespace = "default"
flow = ["a", "b"]
[store]
max_bytes = 1000000
[runtime]
instances = 4
[progress]
stages = ["received", "owned"]
[retention]
decisions_days = 30
[[step]]
plugin = "a.wasm"
models = ["m"]
destinations = ["crm"]
lease_ms = 20000
window = { duration = 60 }
limits = { memory_bytes = 1048576, wall_ms = 10000, host_calls = 100, call_bytes = 1000 }
retry = { attempts_max = 5, base_ms = 10, ceiling_ms = 100, age_max_ms = 1000 }
[model.m]
kind = "scripted"
rules = "rules.json"
[destination.crm]
kind = "http"
url = "https://crm.example.com/deals"
tier = "key"
retention_hours = 24
concurrency = 4
settling_ms = 1000
rate = { calls = 10, per_ms = 1000 }
breaker = { failures = 0, ceiling_ms = 60000 }
same_text = { recipient = "/to", text = "/text", within_hours = 12 }
connect_timeout_ms = 100
request_timeout_ms = 100
reference = "/id"
[source.hook]
kind = "slack"
secrets = [{ env = "HOOK_SECRET" }]
tolerance_s = 60
id = { header = "X-Id" }
time = { pointer = "/at", format = "unix-s" }
data = "/data"
"#;

/// What stands there is replaced, and the refusal says all of this.
#[track_caller]
fn check(from: &str, to: &str, said: &[&str]) {
    assert!(WHOLE.contains(from), "{from}");
    let error = match read(&WHOLE.replacen(from, to, 1)) {
        Ok(_) => panic!("{to} should be refused"),
        Err(error) => format!("{error:#}"),
    };
    for words in said {
        assert!(error.contains(words), "{to} should say {words:?}, but says: {error}");
    }
}

#[test]
fn a_budget_that_nothing_can_live_on_is_refused_with_its_name() {
    read(WHOLE).unwrap();
    for (from, to, said) in [
        ("max_bytes = 1000000", "max_bytes = 0", ["[store]", "`max_bytes`", "bytes"]),
        ("decisions_days = 30", "decisions_days = 0", ["[retention]", "`decisions_days`", "at least 1"]),
        ("instances = 4", "instances = 0", ["[runtime]", "`instances`", "at least 1"]),
        ("instances = 4", "instances = 100000", ["[runtime]", "`instances`", "at most 1000"]),
        ("lease_ms = 20000", "lease_ms = 9999", ["a.wasm", "`lease_ms`", "at least 10000"]),
        ("memory_bytes = 1048576", "memory_bytes = 0", ["a.wasm", "`limits.memory_bytes`", "in bytes"]),
        ("memory_bytes = 1048576", "memory_bytes = 5000000000", ["a.wasm", "memory_bytes", "at most"]),
        ("wall_ms = 10000", "wall_ms = 0", ["a.wasm", "`limits.wall_ms`", "milliseconds"]),
        ("host_calls = 100", "host_calls = 0", ["a.wasm", "`limits.host_calls`", "at least 1"]),
        ("call_bytes = 1000", "call_bytes = 0", ["a.wasm", "`limits.call_bytes`", "at least 1"]),
        ("call_bytes = 1000", "collected_bytes = 0", ["a.wasm", "`limits.collected_bytes`", "at least 1"]),
        ("attempts_max = 5", "attempts_max = 0", ["a.wasm", "`retry.attempts_max`", "at least 1"]),
        ("age_max_ms = 1000", "age_max_ms = 0", ["a.wasm", "`retry.age_max_ms`", "attempts_max = 1"]),
        ("base_ms = 10,", "base_ms = 9000000000000,", ["a.wasm", "`retry.base_ms`", "at most"]),
        ("duration = 60", "duration = 0", ["a.wasm", "`window`", "for-ever"]),
        (
            "lease_ms = 20000",
            "hold_decisions = [\"a\"]\nhold_expires_hours = 0",
            ["a.wasm", "`hold_expires_hours`", "at least 1"],
        ),
        (
            "lease_ms = 20000",
            "hold_expires_hours = 1",
            ["a.wasm", "`hold_expires_hours`", "`hold_decisions`"],
        ),
        ("lease_ms = 20000", "hold_decisions = [\"a\", \"a\"]", ["a.wasm", "hold_decisions", "twice"]),
        ("lease_ms = 20000", "hold_decisions = [\"\"]", ["a.wasm", "hold_decisions, entry 1", "is empty"]),
        ("retention_hours = 24", "retention_hours = 0", ["[destination.crm]", "`retention_hours`", "blind"]),
        ("settling_ms = 1000", "lease_ms = 199", ["[destination.crm]", "`lease_ms`", "at least 200"]),
        ("concurrency = 4", "concurrency = 0", ["[destination.crm]", "`concurrency`", "at least 1"]),
        ("concurrency = 4", "concurrency = 5000", ["[destination.crm]", "`concurrency`", "at most 256"]),
        ("connect_timeout_ms = 100", "connect_timeout_ms = 0", ["crm", "`connect_timeout_ms`", "at least 1"]),
        ("request_timeout_ms = 100", "request_timeout_ms = 0", ["crm", "`request_timeout_ms`", "at least 1"]),
        ("settling_ms = 1000", "settling_ms = 100000000", ["crm", "`settling_ms`", "at most"]),
        ("{ failures = 0", "{ base_ms = 0", ["[destination.crm]", "`breaker.base_ms`", "failures = 0"]),
        (
            "ceiling_ms = 60000",
            "ceiling_ms = 99",
            ["[destination.crm]", "`breaker.ceiling_ms`", "at least 5000"],
        ),
        ("{ calls = 10", "{ calls = 0", ["[destination.crm]", "`rate.calls`", "pause"]),
        ("per_ms = 1000 }", "per_ms = 0 }", ["[destination.crm]", "`rate.per_ms`", "milliseconds"]),
        (
            "per_ms = 1000 }",
            "per_ms = 90000000 }",
            ["[destination.crm]", "`rate.per_ms`", "at most 86400000"],
        ),
        ("within_hours = 12", "within_hours = 0", ["[destination.crm]", "`same_text.within_hours`", "1 to"]),
        ("recipient = \"/to\"", "recipient = \"to\"", ["[destination.crm]", "`same_text.recipient`", "/"]),
    ] {
        check(from, to, &said);
    }
    let blind = WHOLE.replace("tier = \"key\"", "tier = \"blind\"").replace("hours = 24", "hours = 0");
    read(&blind).expect("a receiver without keys keeps none");
}

#[test]
fn a_name_that_nothing_can_be_called_is_refused_with_its_place() {
    let long = format!("namespace = {:?}", "n".repeat(513));
    let many = format!("flow = [{}]", (0..65).map(|n| format!("\"s{n}\"")).collect::<Vec<_>>().join(","));
    for (from, to, said) in [
        ("namespace = \"default\"", "namespace = \"\"", ["`namespace`", "is empty"]),
        ("namespace = \"default\"", "namespace = \" \"", ["`namespace`", "is empty"]),
        ("namespace = \"default\"", "namespace = \"a\\u001bb\"", ["`namespace`", "control"]),
        ("namespace = \"default\"", &long, ["`namespace`", "512"]),
        ("flow = [\"a\", \"b\"]", "flow = [\"a\", \"\"]", ["flow, entry 2", "is empty"]),
        ("flow = [\"a\", \"b\"]", "flow = [\"a\", \"a\"]", ["`flow`", "twice"]),
        ("flow = [\"a\", \"b\"]", &many, ["65 steps", "64"]),
        ("\"received\"", "\"\"", ["progress.stages, entry 1", "is empty"]),
        ("\"received\"", "\"owned\"", ["`progress.stages`", "twice"]),
        ("plugin = \"a.wasm\"", "plugin = \"\"", ["[[step]]", "`plugin` is empty"]),
        ("models = [\"m\"]", "models = [\"oracle\"]", ["a.wasm", "[model.oracle]"]),
        ("destinations = [\"crm\"]", "destinations = [\"erp\"]", ["a.wasm", "[destination.erp]"]),
        ("{ duration = 60 }", "{ until-marker = \"\" }", ["`window`, the marker", "is empty"]),
        ("[destination.crm]", "[destination.\"\"]", ["[destination] name", "is empty"]),
    ] {
        check(from, to, &said);
    }
}

#[test]
fn an_address_that_cannot_work_is_refused_without_being_repeated() {
    let url = "url = \"https://crm.example.com/deals\"";
    for (to, said) in [
        ("crm.example.com/deals", "absolute"),
        ("ftp://crm.example.com/", "http or https"),
        ("https://ada:hidden@crm.example.com/", "`authorization`"),
        ("https://hidden@crm.example.com/", "`authorization`"),
        ("https://crm.example.com/deals?api_key=hidden", "\"api_key\""),
        ("https://crm.example.com/deals?a=1&Access-Token=hidden", "`authorization_header`"),
        ("https://crm.example.com/{/email", "not closed"),
        ("https://crm.example.com/{email}", "{/pointer}"),
        ("https://{/host}/deals", "host"),
        ("https://{/host}.example.com/deals", "host"),
    ] {
        check(url, &format!("url = \"{to}\""), &["[destination.crm]", "`url`", said]);
        let error = read(&WHOLE.replace(url, &format!("url = \"{to}\""))).unwrap_err();
        assert!(!format!("{error:#}").contains("hidden"), "{error:#}");
    }
    read(&WHOLE.replace("/deals", "/deals/{key}?of={/email}")).unwrap();
    check("reference = \"/id\"", "reference = \"id\"", &["[destination.crm]", "`reference`", "/"]);
}

#[test]
fn a_tier_without_its_means_is_refused_with_what_it_needs() {
    let tier = "tier = \"key\"";
    check(tier, "tier = \"field\"", &["[destination.crm]", "`tier`", "{/email}"]);
    let by_field = WHOLE.replace(tier, "tier = \"field\"\nmethod = \"PUT\"");
    read(&by_field.replace("/deals", "/by-email/{/email}")).unwrap();
    let by_key = by_field.replace("/deals", "/deals/{key}");
    assert!(read(&by_key).is_err(), "the row's key is no field of the record");

    let asked = |url: &str| {
        format!("look_up = {{ url = \"{url}\", found = \"/results/0/id\" }}\n{tier}")
            .replace("key\"", "lookup\"")
    };
    let with_key = asked("https://crm.example.com/find?by={key}");
    let fingerprint = "fingerprint = \"/external_id\"\n";
    read(&WHOLE.replace(tier, &format!("{fingerprint}{with_key}"))).unwrap();
    let needs = ["[destination.crm]", "`fingerprint`", "`look_up`", "{key}"];
    check(tier, &with_key, &needs);
    check(tier, &format!("{fingerprint}{}", asked("https://crm.example.com/find")), &needs);
    check(tier, &format!("{fingerprint}tier = \"lookup\""), &needs);
    check(tier, &format!("{fingerprint}{}", asked("https://u:p@crm.example.com/{key}")), &["`look_up.url`"]);
    check(tier, &with_key.replace("\"lookup\"", "\"blind\""), &["`look_up`", "tier"]);
    check(tier, "tier = \"key\"\nmethod = \"GET\"", &["POST", "PATCH"]);
}

#[test]
fn a_model_that_could_not_be_asked_is_refused_with_its_setting() {
    let scripted = "kind = \"scripted\"\nrules = \"rules.json\"";
    let openai = |lines: &str| format!("kind = \"openai\"\nmodel = \"x\"\n{lines}");
    let at = |url: &str| openai(&format!("base_url = \"{url}\""));
    let good = |line: &str| format!("{}\n{line}", at("https://api.example/v1"));
    read(&WHOLE.replace(scripted, &good("api_key = { env = \"KEY\" }"))).unwrap();
    let local = format!("{}\nallow_private_addresses = true", at("http://127.0.0.1:8000/v1"));
    read(&WHOLE.replace(scripted, &local)).unwrap();
    for (to, said) in [
        (at("api.example/v1"), ["`base_url`", "absolute"]),
        (at("ftp://api.example/v1"), ["`base_url`", "http or https"]),
        (at("https://me:hidden@api.example/v1"), ["`base_url`", "`api_key`"]),
        (at("https://api.example/v1?key=hidden"), ["`base_url`", "`?`"]),
        (at("http://api.example/v1"), ["`base_url`", "https"]),
        (at("https://api.example/v1").replace("\"x\"", "\" \""), ["`model`", "is empty"]),
        (good("api_key = \"sk-hidden\""), ["line ", "never stands in this file"]),
        (good("max_tokens = 0"), ["`max_tokens`", "at least 1"]),
        (good("timeout_ms = 0"), ["`timeout_ms`", "at least 1"]),
        (good("request_timeout_ms = 0"), ["`request_timeout_ms`", "at least 1"]),
        (good("retry = { attempts_max = 0 }"), ["`retry.attempts_max`", "at least 1"]),
        (good("retry = { attempts_max = 21 }"), ["`retry.attempts_max`", "at most 20"]),
        (good("prices = { input_per_million = -1.0, output_per_million = 1.0 }"), ["`prices`", "-1"]),
        (good("prices = { input_per_million = nan, output_per_million = 1.0 }"), ["`prices`", "NaN"]),
        (format!("{scripted}\nretry = {{ age_max_ms = 1 }}"), ["line ", "unknown field `age_max_ms`"]),
    ] {
        check(scripted, &to, &said);
        let error = read(&WHOLE.replace(scripted, &to)).unwrap_err();
        assert!(!format!("{error:#}").contains("hidden"), "{error:#}");
    }
}

#[test]
fn a_source_that_proves_nothing_or_looks_nowhere_is_refused_with_its_setting() {
    let (secrets, id) = ("secrets = [{ env = \"HOOK_SECRET\" }]", "id = { header = \"X-Id\" }");
    let (data, time) = ("data = \"/data\"", "time = { pointer = \"/at\", format = \"unix-s\" }");
    let kind = "kind = \"slack\"";
    for (from, to, said) in [
        (kind, "kind = \"json\"", ["[source.hook]", "`secrets`", "signs nothing"]),
        (kind, "kind = \"github\"", ["[source.hook]", "`tolerance_s`", "no time"]),
        (kind, "kind = \"slack\"\nopen = true", ["[source.hook]", "`open`", "Slack"]),
        (secrets, "", ["[source.hook]", "`secrets` names 0", "1 to 8"]),
        (secrets, "secrets = [\"hidden\"]", ["line ", "never stands in this file", "env"]),
        ("tolerance_s = 60", "tolerance_s = 0", ["[source.hook]", "`tolerance_s`", "at least 1"]),
        ("tolerance_s = 60", "tolerance_s = 86401", ["[source.hook]", "`tolerance_s`", "at most 86400"]),
        (data, "data = \"data\"", ["[source.hook]", "`data`", "begin with `/`"]),
        (data, "data = \"/items/*\"", ["[source.hook]", "`data`", "several places"]),
        (data, "step = \" \"", ["[source.hook]", "`step`", "is empty"]),
        (id, "id = { header = \"X Id\" }", ["[source.hook]", "`id.header`", "X-Request-Id"]),
        (id, "id = { header = \"Authorization\" }", ["[source.hook]", "`id.header`", "credential"]),
        (id, "id = { header = \"a\", pointer = \"/b\" }", ["[source.hook]", "`id`", "one place alone"]),
        (id, "id = { pointer = \"\" }", ["[source.hook]", "`id.pointer`", "begin with `/`"]),
        (time, "time = { format = \"unix-s\" }", ["[source.hook]", "`time.format`", "`time.pointer`"]),
        (time, "time = { pointer = \"/at\", format = \"seconds\" }", ["line ", "`seconds`", "`unix-ms`"]),
        ("[source.hook]", "[source.\"a/b\"]", ["[source.\"a/b\"]", "address", "letters"]),
    ] {
        check(from, to, &said);
    }
    let (flow, two_steps) = ("flow = [\"a\", \"b\"]", "[[step]]\nplugin = \"b.wasm\"\n[model.m]");
    read(&WHOLE.replace(flow, "")).expect("the only step is where an event begins");
    let error = read(&WHOLE.replace(flow, "").replace("[model.m]", two_steps)).unwrap_err();
    assert!(format!("{error:#}").contains("name a `step`"), "{error:#}");
    let nowhere = WHOLE.replace(id, "id = {}").replace(time, "time = {}");
    read(&nowhere).expect("an empty table means nowhere");
}

#[test]
fn an_error_has_its_place_and_not_the_line() {
    let check = |text: &str, said: &str, hidden: &str| {
        let error = format!("{:#}", Config::parse(text).unwrap_err());
        assert!(error.contains(said), "{error}");
        assert!(!error.contains(hidden) && !error.contains('|'), "{error}");
    };
    check("namespace = \"a\"\nflow = \"sk-live-1\"\n", "line 2, column 8", "sk-live-1");
    check("namespace = \"sk-live-1\n", "line 1", "sk-live-1");
    check("namespace = Bearer sk-live-1\n", "line 1", "sk-live-1");
    check("[store]\npath = \"a\"\nmax_bytes = \"sk-live-1\"", "line 3", "sk-live-1");
    check(
        "[destination.crm]\nkind = \"http\"\nurl = \"https://a.example\"\ntier = \"key\"\nconcurrency = \"sk-live-1\"",
        "expected u32",
        "sk-live-1",
    );
}

#[test]
fn a_value_is_taken_out_of_a_message() {
    let check = |message: &str, expected: &str| assert_eq!(without_value(message), expected);
    check("invalid type: string \"a\\\", expected b\", expected u64", "invalid type: a text, expected u64");
    check("unknown variant `magic`, expected `key`", "unknown variant `magic`, expected `key`");
}

/// What stands in a configuration where it should not, and what any file may hold.
fn snippet() -> impl Strategy<Value = String> {
    prop_oneof![
        "\\PC{0,20}",
        any::<String>(),
        select(vec![
            "=",
            "[",
            "]]",
            "{",
            "\"",
            "\n",
            "#",
            "-1",
            "1e400",
            "nan",
            "18446744073709551616",
            "true",
            "[[step]]\n"
        ])
        .prop_map(str::to_owned),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn no_text_makes_it_panic_and_each_refusal_names_a_place(
        from: Index, to: Index, snippet in snippet(), alone: bool,
    ) {
        let place = |index: Index| WHOLE.floor_char_boundary(index.index(WHOLE.len()));
        let (from, to) = (place(from).min(place(to)), place(from).max(place(to)));
        // A few characters are replaced, now and then all of them.
        let to = to.min(WHOLE.floor_char_boundary(from + 8));
        let text = if alone { snippet } else { format!("{}{snippet}{}", &WHOLE[..from], &WHOLE[to..]) };
        if let Err(error) = read(&text) {
            let told = format!("{error:#}");
            prop_assert!(["line ", "[", "`"].iter().any(|mark| told.contains(mark)), "{told:?} for {text:?}");
        }
    }
}
