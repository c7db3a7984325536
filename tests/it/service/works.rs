//! Works over HTTP: the list and its pages, one work, its family, its event.

use crate::service::served::{Served, check, work_of};
use serde_json::{Value, json};

fn ids(page: &Value) -> Vec<&str> {
    let works = page["works"].as_array().expect("a list");
    works.iter().filter_map(|work| work["event_id"].as_str()).collect()
}

#[test]
fn a_list_is_paged_and_what_comes_in_between_moves_no_page() {
    let served = Served::new(&[("echo", ""), ("rejects", "")], "");
    let page = |query: &str| -> Value {
        let answer = served.host.get(&format!("/v1/works?{query}"));
        assert_eq!(answer.status(), Some(200), "{query}: {}", answer.text());
        answer.json().expect("a list")
    };
    for n in 1..=5 {
        let step = if n == 3 { "rejects" } else { "echo" };
        served.invoke(step, &n.to_string(), 30.0, &json!({}));
    }
    let first = page("limit=2");
    assert_eq!(ids(&first), ["5", "4"]);
    served.invoke("echo", "6", 30.0, &json!({}));
    let next = |page: &Value| page["next"].as_str().expect("there is more").to_owned();
    let second = page(&format!("limit=2&before={}", next(&first)));
    assert_eq!(ids(&second), ["3", "2"]);
    let third = page(&format!("limit=2&before={}", next(&second)));
    assert_eq!((ids(&third), &third["next"]), (vec!["1"], &Value::Null));
    assert_eq!(ids(&page("state=rejected")), ["3"]);
    assert_eq!(ids(&page("state=done&step=echo&limit=3")), ["6", "5", "4"]);
    assert_eq!(ids(&page("limit=4000000000")).len(), 6);
    assert!(ids(&page("limit=0")).is_empty());
}

#[test]
fn what_can_not_be_read_is_refused_and_what_is_not_there_is_not_found() {
    let served = Served::new(&[("echo", "")], "");
    for (path, status, verdict) in [
        ("/v1/works?state=asleep", 400, "bad-request"),
        ("/v1/works?limit=-1", 400, "bad-request"),
        ("/v1/works?limit=many", 400, "bad-request"),
        ("/v1/works?colour=red", 400, "bad-request"),
        ("/v1/works?before=abcd", 404, "not-found"),
        ("/v1/works/abcd", 404, "not-found"),
        ("/v1/works/abcd?family=perhaps", 400, "bad-request"),
        ("/v1/works/echo%3Av1%3A%00", 404, "not-found"),
        ("/v1/works/%ff", 400, "bad-request"),
        ("/v1/works/abcd/event", 404, "not-found"),
        ("/v1/works/", 404, "not-found"),
    ] {
        check(&served.host.get(path), status, verdict);
    }
}

#[test]
fn a_work_is_found_by_its_id_the_beginning_of_it_and_its_key() {
    let served = Served::new(&[("echo", "")], "");
    let work = work_of(&check(&served.invoke("echo", "a/b ?#", 30.0, &json!({ "n": 1 })), 200, "done"));
    for name in [work.as_str(), &work[..12], "echo:v1:test:a%2Fb%20%3F%23"] {
        let whole = served.host.get(&format!("/v1/works/{name}")).json().expect("a work");
        assert_eq!(whole["work"]["work_id"], json!(work), "{name}: {whole}");
        let payload = whole["work"]["payload"].as_str().expect("JSON text");
        assert_eq!(serde_json::from_str::<Value>(payload).expect("JSON"), json!({ "n": 1 }));
        let kinds: Vec<_> = whole["evidence"]
            .as_array()
            .expect("lines")
            .iter()
            .filter_map(|line| line["kind"].as_str())
            .collect();
        assert!(kinds.starts_with(&["claimed"]) && kinds.ends_with(&["settled"]), "{kinds:?}");
    }
}

#[test]
fn a_family_is_all_that_came_of_an_event_and_its_evidence_is_one_story() {
    let served = Served::with_flow(&["echo", "lead_sum"]);
    let first = check(&served.invoke("echo", "m1", 30.0, &json!({ "id": "L1", "amount": 1 })), 200, "done");
    served.await_state("lead-sum:v1:test:m1", "done");
    for name in [work_of(&first).as_str(), "lead-sum:v1:test:m1"] {
        let told = served.host.get(&format!("/v1/works/{name}?family=true")).json().expect("a family");
        let steps: Vec<_> =
            told["works"].as_array().expect("works").iter().map(|one| one["work"]["step"].clone()).collect();
        assert_eq!(steps, ["echo", "lead-sum"], "{told}");
        let story: Vec<(i64, &str)> = told["evidence"]
            .as_array()
            .expect("lines")
            .iter()
            .map(|line| (line["seq"].as_i64().expect("a place"), line["step"].as_str().expect("a step")))
            .collect();
        assert!(story.is_sorted() && story.first().is_some_and(|line| line.1 == "echo"), "{story:?}");
        assert!(story.iter().any(|line| line.1 == "lead-sum"), "{story:?}");
    }
    let alone = served.host.get(&format!("/v1/works/{}", work_of(&first))).json().expect("a work");
    assert!(alone["works"].is_null() && alone["work"].is_object());
}

#[test]
fn an_event_is_given_back_as_it_arrived_and_no_browser_takes_it_for_a_page() {
    let served = Served::new(&[("echo", "")], "");
    let body = b"{ \"id\" : \"m1\",\r\n\t\"n\": 1.50, \"text\": \"<script>\\u00e4</script>\" }";
    let head = format!(
        "POST /v1/sources/echo/events HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\
         Content-Type: application/json; charset=utf-8\r\nContent-Length: {}\r\n\r\n",
        body.len()
    );
    let taken = served.host.send_bytes(&[head.as_bytes(), body].concat());
    let work = work_of(&check(&taken, 202, "accepted"));
    let event = served.host.get(&format!("/v1/works/{work}/event"));
    assert_eq!((event.status(), event.body()), (Some(200), &body[..]), "{}", event.text());
    for (name, value) in [
        ("content-type", "application/json; charset=utf-8"),
        ("x-content-type-options", "nosniff"),
        ("content-disposition", "attachment"),
        ("content-security-policy", "sandbox"),
    ] {
        assert_eq!(event.header(name), Some(value));
    }
    served.await_state(&work, "done");
    let erased =
        served.host.post(&format!("/v1/works/{work}/erase"), &json!({ "by": "admin", "why": "asked" }));
    check(&erased, 200, "erased");
    check(&served.host.get(&format!("/v1/works/{work}/event")), 404, "not-found");
}
