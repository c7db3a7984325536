//! What a contract is refused for.

use super::*;
use crate::identity::builtin;
use crate::identity::pointer::POINTER_LIMIT_BYTES;
use crate::identity::rules::ENTRIES_LIMIT;
use crate::identity::work_id::FIELDS_LIMIT;
use std::error::Error;

fn contract() -> StepContract {
    StepContract {
        name: "lead".to_owned(),
        version: 1,
        identity: Identity::EventKey,
        rules: Rules::default(),
        window: Window::ForEver,
        response: Response::Original,
        mode: Mode::Recorded,
        destinations: Vec::new(),
        models: Vec::new(),
    }
}

/// Refused, and the error or its cause says so.
fn check(contract: &StepContract, says: &str) {
    let error = contract.validate().expect_err(says);
    let cause = error.source().map(ToString::to_string).unwrap_or_default();
    let text = format!("{error}: {cause}");
    assert!(text.contains("lead") && text.contains(says), "`{text}` should say `{says}`");
}

fn business(fields: Vec<String>) -> StepContract {
    StepContract { identity: Identity::BusinessKey(fields), ..contract() }
}

#[test]
fn a_contract_at_its_limits_is_accepted() {
    let longest = "m".repeat(REFERENCE_LIMIT_BYTES);
    for window in [Window::ForEver, Window::Duration(1), Window::UntilMarker(longest.clone())] {
        let at_limits = StepContract {
            name: "n".repeat(NAME_LIMIT_BYTES),
            identity: Identity::BusinessKey(vec![
                format!("/{}", "x".repeat(POINTER_LIMIT_BYTES - 1));
                FIELDS_LIMIT
            ]),
            rules: Rules { trimmed: vec!["/x".to_owned(); ENTRIES_LIMIT], ..Rules::default() },
            window,
            destinations: vec![WantedDestination::any(longest.clone()); CAPABILITY_LIMIT],
            ..contract()
        };
        assert!(at_limits.validate().is_ok(), "{:?}", at_limits.validate());
    }
}

#[test]
fn a_window_that_remembers_nothing_is_refused() {
    check(&StepContract { window: Window::Duration(0), ..contract() }, "0 seconds");
    for marker in [String::new(), " \t".to_owned(), "m".repeat(REFERENCE_LIMIT_BYTES + 1)] {
        check(&StepContract { window: Window::UntilMarker(marker), ..contract() }, "marker");
    }
}

#[test]
fn an_identity_beyond_its_limits_is_refused() {
    check(&business(vec!["/x".to_owned(); FIELDS_LIMIT + 1]), "17 fields");
    check(&business(vec![format!("/{}", "x".repeat(POINTER_LIMIT_BYTES))]), "513 bytes");
    let too_long = vec!["/ok".to_owned(), format!("/{}", "x".repeat(POINTER_LIMIT_BYTES))];
    check(
        &StepContract { rules: Rules { times: too_long, ..Rules::default() }, ..contract() },
        "entry 2 has 513 bytes",
    );
    let too_many = Some(vec!["/x".to_owned(); ENTRIES_LIMIT + 1]);
    check(
        &StepContract { rules: Rules { content_fields: too_many, ..Rules::default() }, ..contract() },
        "129 entries",
    );
}

#[test]
fn a_volatile_field_identifies_nothing() {
    check(&business(vec!["/meta/runId".to_owned()]), "volatile");
    let rules = Rules { volatile: vec!["/list/*/at".to_owned()], ..Rules::default() };
    check(&StepContract { rules, ..business(vec!["/list/0/at".to_owned()]) }, "volatile");
}

#[test]
fn a_revision_of_the_lists_that_is_not_known_is_refused() {
    let rules = Rules { builtin: builtin::LATEST + 1, ..Rules::default() };
    check(&StepContract { rules, ..contract() }, "built-in lists");
}

#[test]
fn another_revision_of_the_lists_identifies_otherwise() {
    let rules = Rules { builtin: builtin::LATER_IN_TESTS, ..Rules::default() };
    let later = StepContract { rules, ..contract() };
    assert!(later.validate().is_ok());
    assert!(!later.identifies_like(&contract()));
    assert!(contract().identifies_like(&StepContract { window: Window::Duration(60), ..contract() }));
}

#[test]
fn capabilities_have_names() {
    for destinations in [
        vec![" ".to_owned()],
        vec!["d".repeat(REFERENCE_LIMIT_BYTES + 1)],
        vec!["d".to_owned(); CAPABILITY_LIMIT + 1],
    ] {
        let destinations = destinations.into_iter().map(WantedDestination::any).collect();
        check(&StepContract { destinations, ..contract() }, "destinations");
    }
}
