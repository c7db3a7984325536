//! Contracts: what identities were derived under.

use crate::conformance::harness::{Bench, ELSEWHERE, SPACE, STEP};
use onceward::contract::capability::Mode;
use onceward::contract::response::Response;
use onceward::contract::step::StepContract;
use onceward::contract::window::Window;
use onceward::identity::rules::Rules;
use onceward::identity::work_id::Identity;
use onceward::store::error::StoreError;

fn contract(version: u32, identity: Identity) -> StepContract {
    StepContract {
        name: STEP.to_owned(),
        version,
        identity,
        rules: Rules::default(),
        window: Window::ForEver,
        response: Response::Original,
        mode: Mode::Recorded,
        destinations: Vec::new(),
        models: Vec::new(),
    }
}

fn by_field(field: &str) -> Identity {
    Identity::BusinessKey(vec![field.to_owned()])
}

pub(super) async fn contract_register_gives_the_other_versions_newest_first(bench: Bench) {
    let versions =
        [contract(1, Identity::EventKey), contract(2, by_field("/id")), contract(10, Identity::Content)];
    let mut earlier = Vec::new();
    for version in versions {
        let found = bench.store.contract_register(SPACE, &version).await.expect("the store works");
        assert_eq!(found, earlier);
        earlier.insert(0, version);
    }
    let bench = bench.reopen().await;
    let found = bench.store.contract_register(SPACE, &earlier[0]).await.expect("the same again");
    assert_eq!(found, earlier[1..]);
    // A step that is put back finds the work of the newer versions as well.
    let found = bench.store.contract_register(SPACE, &earlier[2]).await.expect("the same again");
    assert_eq!(found, earlier[..2]);
}

pub(super) async fn contract_register_refuses_a_changed_identity_under_the_same_version(bench: Bench) {
    let first = contract(1, by_field("/id"));
    bench.store.contract_register(SPACE, &first).await.expect("the store works");
    let mut other_rules = first.clone();
    other_rules.rules.volatile.push("sentAt".to_owned());
    for changed in [contract(1, by_field("/email")), other_rules] {
        let refused = bench.store.contract_register(SPACE, &changed).await.expect_err("it was changed");
        assert!(matches!(refused, StoreError::Contract(_)), "{refused:?}");
    }
    // What does not touch identity may change.
    let wider =
        StepContract { models: vec!["oracle".to_owned()], window: Window::Duration(60), ..first.clone() };
    assert_eq!(bench.store.contract_register(SPACE, &wider).await.expect("the store works"), []);
    let raised = contract(2, by_field("/email"));
    assert_eq!(bench.store.contract_register(SPACE, &raised).await.expect("the store works"), [first]);
}

pub(super) async fn contract_register_shares_nothing_between_namespaces_and_steps(bench: Bench) {
    bench.store.contract_register(SPACE, &contract(1, Identity::EventKey)).await.expect("the store works");
    let there = bench.store.contract_register(ELSEWHERE, &contract(1, Identity::Content)).await;
    assert_eq!(there.expect("another namespace"), []);
    let other = StepContract { name: "reply".to_owned(), ..contract(1, Identity::Content) };
    assert_eq!(bench.store.contract_register(SPACE, &other).await.expect("another step"), []);
}

pub(super) async fn step_list_names_each_step_of_the_namespace_once(bench: Bench) {
    let steps = async |namespace: &str| bench.store.step_list(namespace).await.expect("the store works");
    assert!(steps(SPACE).await.is_empty());
    for (name, version) in [("writes", 1), (STEP, 1), (STEP, 2)] {
        let contract = StepContract { name: name.to_owned(), ..contract(version, Identity::EventKey) };
        bench.store.contract_register(SPACE, &contract).await.expect("the store works");
    }
    assert_eq!(steps(SPACE).await, [STEP, "writes"]);
    assert!(steps(ELSEWHERE).await.is_empty());
}
