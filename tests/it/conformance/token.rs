//! Tokens: what they open, and for whom.

use crate::conformance::harness::{Bench, ELSEWHERE, SPACE, actor};
use onceward::store::operate::Actor;
use onceward::store::token::{NewToken, TokenCreated, TokenRecord, Verb, VerbSet, hash};
use support::sim_clock::START_MS;

fn verbs(verbs: &[Verb]) -> VerbSet {
    verbs.iter().copied().collect()
}

/// A program's token, whose secret is its id said twice.
fn token(id: &str) -> NewToken {
    NewToken {
        id: id.to_owned(),
        namespace: SPACE.to_owned(),
        name: "the shop".to_owned(),
        person: None,
        verbs: verbs(&[Verb::Primitives, Verb::Invoke]),
        hash: hash(&id.repeat(2)),
    }
}

async fn create(bench: &Bench, token: NewToken) -> TokenCreated {
    bench.store.token_create(token, actor()).await.expect("the store works")
}

async fn find(bench: &Bench, secret: &str) -> Option<TokenRecord> {
    bench.store.token_find(hash(secret)).await.expect("the store works")
}

async fn revoke(bench: &Bench, namespace: &str, id: &str) -> bool {
    bench.store.token_revoke(namespace, id, actor()).await.expect("the store works")
}

pub(super) async fn token_create_keeps_what_it_opens_and_who_made_it(bench: Bench) {
    assert_eq!(create(&bench, token("a")).await, TokenCreated::Applied);
    let bench = bench.reopen().await;
    let record = find(&bench, "aa").await.expect("it is on record");
    let expected = TokenRecord {
        id: "a".to_owned(),
        namespace: SPACE.to_owned(),
        name: "the shop".to_owned(),
        person: None,
        verbs: verbs(&[Verb::Invoke, Verb::Primitives]),
        created_by: "Noor says: checked by hand".to_owned(),
        created_ms: START_MS,
        revoked_by: None,
        revoked_ms: None,
    };
    assert_eq!(record, expected);
    let json = serde_json::to_value(&record).expect("it can be shown");
    assert_eq!(json["verbs"], serde_json::json!(["invoke", "primitives"]));
    for verb in Verb::ALL {
        let holds = matches!(verb, Verb::Invoke | Verb::Primitives);
        assert_eq!(record.verbs.contains(verb), holds, "no verb brings {verb:?} along");
    }
}

pub(super) async fn token_create_of_a_known_id_or_secret_changes_nothing(bench: Bench) {
    create(&bench, token("a")).await;
    let same_id = NewToken { hash: hash("other"), ..token("a") };
    // The secret alone tells the namespace.
    let same_secret = NewToken { namespace: ELSEWHERE.to_owned(), hash: hash("aa"), ..token("b") };
    for taken in [same_id, same_secret] {
        assert_eq!(create(&bench, taken).await, TokenCreated::Taken);
    }
    assert_eq!((find(&bench, "other").await, find(&bench, "bb").await), (None, None));
    let there = NewToken { namespace: ELSEWHERE.to_owned(), hash: hash("there"), ..token("a") };
    assert_eq!(create(&bench, there).await, TokenCreated::Applied, "ids belong to their namespace");
    assert_eq!(find(&bench, "aa").await.expect("it stays").namespace, SPACE);
}

pub(super) async fn token_create_that_could_approve_names_a_person(bench: Bench) {
    let all: VerbSet = Verb::ALL.into_iter().collect();
    let with = |id: &str, person: Option<&str>, verbs: &VerbSet| NewToken {
        person: person.map(str::to_owned),
        verbs: verbs.clone(),
        ..token(id)
    };
    assert_eq!(create(&bench, with("a", None, &all)).await, TokenCreated::NeedsPerson);
    assert_eq!(create(&bench, with("a", Some(" "), &all)).await, TokenCreated::NeedsPerson);
    assert_eq!(create(&bench, with("a", Some("Noor"), &verbs(&[]))).await, TokenCreated::NeedsVerb);
    assert!(!bench.store.token_any().await.expect("the store works"));
    assert_eq!(create(&bench, with("a", Some("Noor"), &all)).await, TokenCreated::Applied);
    let record = find(&bench, "aa").await.expect("it is on record");
    assert_eq!((record.person.as_deref(), record.verbs), (Some("Noor"), all));
}

pub(super) async fn token_create_twice_under_one_action_id_is_one_act(bench: Bench) {
    let doing = |action: &str| Actor { action: Some(action.to_owned()), ..actor() };
    for _ in 0..2 {
        let created = bench.store.token_create(token("a"), doing("a1")).await;
        assert_eq!(created.expect("the store works"), TokenCreated::Applied);
    }
    assert_eq!(create(&bench, token("a")).await, TokenCreated::Taken);
    for _ in 0..2 {
        assert!(bench.store.token_revoke(SPACE, "a", doing("b1")).await.expect("the store works"));
    }
}

pub(super) async fn token_find_goes_by_the_whole_secret(bench: Bench) {
    create(&bench, token("a")).await;
    for secret in ["a", "aaa", "AA", "aa ", ""] {
        assert_eq!(find(&bench, secret).await, None, "{secret:?}");
    }
    assert!(find(&bench, "aa").await.is_some());
}

pub(super) async fn token_revoke_leaves_the_record_of_who_could_do_what(bench: Bench) {
    create(&bench, token("a")).await;
    create(&bench, token("b")).await;
    bench.advance(5);
    assert!(!revoke(&bench, ELSEWHERE, "a").await && !revoke(&bench, SPACE, "c").await);
    assert!(revoke(&bench, SPACE, "a").await);
    bench.advance(5);
    assert!(!revoke(&bench, SPACE, "a").await, "it was before");
    let revoked = find(&bench, "aa").await.expect("it stays as the record");
    assert_eq!((revoked.revoked_ms, revoked.name.as_str()), (Some(START_MS + 5), "the shop"));
    assert_eq!(revoked.revoked_by.as_deref(), Some("Noor says: checked by hand"));
    assert_eq!(find(&bench, "bb").await.expect("it stays").revoked_ms, None);
    assert_eq!(create(&bench, token("a")).await, TokenCreated::Taken, "what was revoked never comes back");
}

pub(super) async fn token_list_is_in_the_order_of_making_within_the_namespace(bench: Bench) {
    for id in ["b", "a", "c"] {
        create(&bench, token(id)).await;
    }
    revoke(&bench, SPACE, "a").await;
    let there = NewToken { namespace: ELSEWHERE.to_owned(), hash: hash("there"), ..token("d") };
    create(&bench, there).await;
    let list = async |space: &str| {
        let tokens = bench.store.token_list(space).await.expect("the store works");
        tokens.into_iter().map(|token| token.id).collect::<Vec<_>>()
    };
    assert_eq!(list(SPACE).await, ["b", "a", "c"]);
    assert_eq!(list(ELSEWHERE).await, ["d"]);
}

pub(super) async fn token_any_says_whether_one_was_ever_made(bench: Bench) {
    let any = async |bench: &Bench| bench.store.token_any().await.expect("the store works");
    assert!(!any(&bench).await);
    create(&bench, NewToken { namespace: ELSEWHERE.to_owned(), ..token("a") }).await;
    assert!(any(&bench).await);
    revoke(&bench, ELSEWHERE, "a").await;
    assert!(any(&bench.reopen().await).await, "revoking the last one lets nobody begin anew");
}
