//! Rules, refusals, and what the tests of others rely on: the call log, the delay and failures on demand.

use super::*;

const RULES: &str = r#"{
    "rules": [
        {"when": {"/text": {"contains": "Invoice"}, "/vip": {"equals": true}}, "answer": {"intent": "vip-billing"}},
        {"when": {"/text": {"contains": "invoice"}}, "answer": {"intent": "billing", "lines": ["from {{/name}}, {{/n}}{{/n}}"]}},
        {"when": {"/count": {"equals": 1}}, "answer": [1, null]},
        {"when": {"/order": {"contains": "42"}}, "answer": "order {{/order}} of {{/who/0}}"},
        {"when": {"/phone": {"present": true}, "/mail": {"present": false}}, "answer": "call"}
    ],
    "otherwise": null
}"#;

fn scripted(text: &str, options: &ScriptedOptions) -> Scripted {
    Scripted::parse(text, Path::new("rules.json"), options).unwrap()
}

fn request(input: &str) -> ModelRequest {
    ModelRequest {
        model: "demo".into(),
        prompt_version: "3".into(),
        prompt: "Classify.".into(),
        temperature: 0.0,
        input: input.into(),
        schema: None,
    }
}

#[tokio::test]
async fn the_first_rule_whose_conditions_all_hold_answers() {
    let model = scripted(RULES, &ScriptedOptions::default());
    let check = async |input: &str, expected: &str| {
        assert_eq!(model.ask(&request(input)).await.answer.unwrap(), expected, "{input}")
    };
    check(r#"{"text": "my INVOICE", "vip": true}"#, r#"{"intent":"vip-billing"}"#).await;
    check(
        r#"{"text": "my INVOICE", "name": "Ann", "n": 7}"#,
        r#"{"intent":"billing","lines":["from Ann, 77"]}"#,
    )
    .await;
    check(r#"{"count": 1.0}"#, "[1,null]").await;
    check(r#"{"count": "1"}"#, "null").await;
    check(r#"{"order": 1420, "who": [{"a": 1}]}"#, r#""order 1420 of {\"a\":1}""#).await;
    check(r#"{"phone": "1"}"#, r#""call""#).await;
    check(r#"{"phone": "1", "mail": null}"#, r#""call""#).await;
    check(r#"{"phone": "1", "mail": "a"}"#, "null").await;
    check(r#"{"phone": null}"#, "null").await;
    check(r#"{"text": ["invoice"]}"#, "null").await;
    check("3", "null").await;
}

#[tokio::test]
async fn a_placeholder_is_filled_once_and_what_it_brings_is_not_read_again() {
    let model = scripted(r#"{"rules":[],"otherwise":"{{/a}}"}"#, &ScriptedOptions::default());
    assert_eq!(
        model.ask(&request(r#"{"a":"{{/secret}}","secret":"x"}"#)).await.answer.unwrap(),
        r#""{{/secret}}""#
    );
}

#[tokio::test]
async fn what_cannot_be_answered_is_an_error_with_the_remedy() {
    let check = async |script: &str, input: &str, words: &str| {
        let error =
            scripted(script, &ScriptedOptions::default()).ask(&request(input)).await.answer.unwrap_err();
        assert!(matches!(error, ModelError::Refused { .. }) && error.to_string().contains(words), "{error}");
    };
    check(r#"{"rules":[]}"#, "{}", "`otherwise`").await;
    check(r#"{"rules":[],"otherwise":"{{/name}}"}"#, "{}", "`/name`").await;
    check(r#"{"rules":[],"otherwise":1}"#, "{", "not JSON").await;
}

#[test]
fn a_bad_rule_is_refused_at_load_with_file_index_and_remedy() {
    let check = |script: &str, place: &str, words: &str| {
        let error =
            Scripted::parse(script, Path::new("rules.json"), &ScriptedOptions::default()).unwrap_err();
        let text = error.to_string();
        for expected in ["`rules.json`", place, words] {
            assert!(text.contains(expected), "{expected:?} is not in {text:?}");
        }
    };
    let in_second =
        |rule: &str| format!(r#"{{"rules":[{{"when":{{"/a":{{"equals":1}}}},"answer":1}},{rule}]}}"#);
    check("[]", "", "`rules`");
    check(r#"{"rules":[],"otherwize":1}"#, "", "`otherwise`");
    check(&in_second("1"), "rules[1]", "`when` and `answer`");
    check(&in_second(r#"{"when":{"/a":{"equals":1}}}"#), "rules[1]", "`when` and `answer`");
    check(&in_second(r#"{"when":{"/a":{"equals":1}},"answer":1,"x":1}"#), "rules[1]", "nothing else");
    check(&in_second(r#"{"when":{},"answer":1}"#), "rules[1]", "`otherwise`");
    check(&in_second(r#"{"when":{"a":{"equals":1}},"answer":1}"#), "rules[1]", "begin it with `/`");
    check(&in_second(r#"{"when":{"/a~":{"equals":1}},"answer":1}"#), "rules[1]", "`~0`");
    check(&in_second(r#"{"when":{"/a":"b"},"answer":1}"#), "rules[1]", "contains");
    check(&in_second(r#"{"when":{"/a":{}},"answer":1}"#), "rules[1]", "no condition");
    check(&in_second(r#"{"when":{"/a":{"matches":"b.*"}},"answer":1}"#), "rules[1]", "`matches`");
    check(&in_second(r#"{"when":{"/a":{"contains":""}},"answer":1}"#), "rules[1]", "not empty");
    check(&in_second(r#"{"when":{"/a":{"present":1}},"answer":1}"#), "rules[1]", "true or false");
    check(&in_second(r#"{"when":{"/a":{"equals":1}},"answer":{"b":["{{name}}"]}}"#), "rules[1]", "{{/name}}");
    check(r#"{"rules":[],"otherwise":"{{/name"}"#, "otherwise", "}}");
}

#[test]
fn a_file_that_is_not_there_or_too_large_is_named() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("rules.json");
    let error = Scripted::load(&path, &ScriptedOptions::default()).unwrap_err();
    assert!(matches!(error, ScriptError::Read { .. }) && error.to_string().contains("rules.json"), "{error}");
    std::fs::write(&path, RULES).unwrap();
    assert!(Scripted::load(&path, &ScriptedOptions::default()).is_ok());
    File::create(&path).unwrap().set_len(SCRIPT_LIMIT_BYTES + 1).unwrap();
    assert!(matches!(Scripted::load(&path, &ScriptedOptions::default()), Err(ScriptError::TooLarge { .. })));
    let options =
        ScriptedOptions { call_log: Some(folder.path().join("no/log")), ..ScriptedOptions::default() };
    let error = Scripted::parse(RULES, Path::new("rules.json"), &options).unwrap_err();
    assert!(matches!(error, ScriptError::CallLog { .. }), "{error}");
}

#[tokio::test]
async fn every_call_is_one_line_across_loads_also_one_that_fails() {
    let folder = tempfile::tempdir().unwrap();
    let log = folder.path().join("calls.jsonl");
    let options =
        ScriptedOptions { call_log: Some(log.clone()), fail_first: 1, ..ScriptedOptions::default() };
    for _ in 0..2 {
        let model = scripted(RULES, &options);
        let down = model.ask(&request("{}")).await.answer.unwrap_err();
        assert!(matches!(down, ModelError::Unavailable { .. }), "{down}");
        assert!(model.ask(&request("{}")).await.answer.is_ok());
    }
    let text = std::fs::read_to_string(&log).unwrap();
    let lines: Vec<Value> = text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(lines.len(), 4);
    let hash = "44136fa355b3678a1146ad16f7e8649e94fb4fc21fe77e8310c060f61caaff8a";
    assert_eq!(lines[0], json!({"model": "demo", "prompt_version": "3", "input_hash": hash}));
}

#[tokio::test]
async fn a_call_cancelled_in_its_delay_is_counted() {
    let folder = tempfile::tempdir().unwrap();
    let log = folder.path().join("calls.jsonl");
    let options =
        ScriptedOptions { call_log: Some(log.clone()), delay_ms: 60_000, ..ScriptedOptions::default() };
    let model = scripted(RULES, &options);
    let question = request("{}");
    let given_up = tokio::time::timeout(Duration::ZERO, model.ask(&question)).await;
    assert!(given_up.is_err(), "the delay was not kept");
    assert_eq!(std::fs::read_to_string(&log).unwrap().lines().count(), 1);
}
