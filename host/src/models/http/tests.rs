//! What is asked and what is read, without a socket; the sockets are in the tests' package.

use super::*;
use crate::models::Usage;
use serde_json::{Value, json};

fn request(schema: Option<&str>) -> ModelRequest {
    ModelRequest {
        model: "writer".into(),
        prompt_version: "3".into(),
        prompt: "Classify.".into(),
        temperature: 0.25,
        input: r#"{"text":"hi"}"#.into(),
        schema: schema.map(str::to_owned),
    }
}

fn body(schema: Option<&str>, max_tokens: Option<u32>) -> String {
    let request = request(schema);
    serde_json::to_string(&Question::of(&request, "gpt-x", max_tokens).unwrap()).unwrap()
}

#[test]
fn a_question_is_prompt_and_input_and_leaves_out_what_is_not_asked_for() {
    let plain: Value = serde_json::from_str(&body(None, None)).unwrap();
    assert_eq!(
        plain,
        json!({
            "model": "gpt-x",
            "messages": [
                { "role": "system", "content": "Classify." },
                { "role": "user", "content": "{\"text\":\"hi\"}" },
            ],
            "temperature": 0.25,
        })
    );
}

#[test]
fn a_schema_goes_along_to_the_byte() {
    let schema = r#"{"type":"object", "maximum": 9007199254740993.0}"#;
    let text = body(Some(schema), Some(50));
    assert!(text.contains(&format!(r#""json_schema":{{"name":"answer","schema":{schema}}}"#)), "{text}");
    assert!(text.contains(r#""type":"json_schema""#) && text.contains(r#""max_tokens":50"#), "{text}");
}

fn exchange(status: u16, body: &str) -> Exchange {
    Exchange { status, retry_after: None, body: body.to_owned(), truncated: false, valid_text: true }
}

fn read(body: &str) -> ModelReply {
    let prices = Prices { input_per_million: 0.5, output_per_million: 2.0 };
    Completion::read(&exchange(200, body)).reply("writer", Some(&prices))
}

fn completion(message: &Value, finish_reason: &str) -> String {
    let usage = json!({ "prompt_tokens": 101, "completion_tokens": 10 });
    json!({ "choices": [{ "message": message, "finish_reason": finish_reason }], "usage": usage }).to_string()
}

#[test]
fn an_answer_comes_with_what_it_cost_rounded_up() {
    let reply = read(&completion(&json!({ "content": "{\"a\":1}" }), "stop"));
    assert_eq!(reply.answer.as_deref(), Ok("{\"a\":1}"));
    let used = Usage { tokens_in: Some(101), tokens_out: Some(10), cost_micros: Some(71) };
    assert_eq!(reply.usage, used);
}

#[test]
fn what_is_no_answer_has_a_name_and_still_its_price() {
    for (message, finish_reason, name, may_pass) in [
        (json!({ "content": null, "refusal": "No." }), "stop", "declined", false),
        (json!({ "content": "{}" }), "content_filter", "declined", false),
        (json!({ "content": "{\"a\":" }), "length", "cut off", false),
        (json!({ "content": null }), "stop", "holds no text", true),
        (json!({ "content": " " }), "stop", "holds no text", true),
        (json!({ "content": { "a": 1 } }), "stop", "holds no text", true),
        (json!("text"), "stop", "holds no text", true),
    ] {
        let reply = read(&completion(&message, finish_reason));
        let error = reply.answer.unwrap_err();
        assert!(error.to_string().contains(name), "{message}: {error}");
        assert_eq!(error.may_pass(), may_pass, "{message}");
        assert_eq!(reply.usage.cost_micros, Some(71), "{message}");
    }
}

#[test]
fn a_body_that_is_no_completion_is_an_error_and_never_a_panic() {
    for (body, words) in [
        ("", "not JSON"),
        ("<html>", "not JSON"),
        ("null", "no `choices`"),
        ("[]", "no `choices`"),
        (r#"{"choices":[]}"#, "no `choices`"),
        (r#"{"choices":{"0":{}}}"#, "holds no text"),
        (r#"{"choices":[3],"usage":{"prompt_tokens":-1,"completion_tokens":1e300}}"#, "holds no text"),
    ] {
        let reply = read(body);
        assert!(reply.answer.unwrap_err().to_string().contains(words), "{body}");
        assert_eq!(reply.usage, Usage::default(), "{body}");
    }
    let cut = Exchange { truncated: true, ..exchange(200, "{}") };
    let reply = Completion::read(&cut).reply("writer", None);
    assert!(reply.answer.unwrap_err().to_string().contains("longer"));
}

#[test]
fn a_refusal_gives_its_codes_and_keeps_its_words_apart() {
    let check = |body: &str, codes: &str| {
        let refusal = Refusal::read(body);
        assert_eq!(refusal.codes, codes, "{body}");
    };
    check(
        r#"{"error":{"type":"invalid_request_error","code":"context_length_exceeded","message":"Ada wrote ..."}}"#,
        " (invalid_request_error, context_length_exceeded)",
    );
    check(r#"{"error":{"type":"Ada wrote this","code":null,"param":"messages.[0]"}}"#, " (messages.[0])");
    check(r#"{"error":"no"}"#, "");
    check("<html>", "");
    let code = format!(r#"{{"error":{{"code":"{}"}}}}"#, "x".repeat(65));
    check(&code, "");
}
