//! Contracts as the ledger keeps them: JSON, with the number of its format.
//!
//! Hosts of two versions may share a ledger, and identities are made under the recorded contracts of old versions too.
//! So a contract is either understood whole or refused by name: a format beyond [`FORMAT`], and a revision of the
//! built-in lists that this host does not know, can't be read. A host writes the lowest format that says all
//! it means. Within a format, members that do not touch identity may be added, and an older host passes over them; what
//! touches identity, in the contract or in its rules, takes a new format.

use crate::contract::step::ContractError;
use crate::contract::step::StepContract;
use crate::identity::builtin::Lists;
use crate::identity::rules::RulesError;
use serde::de::Error as _;
use serde::ser::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::Value;
use std::error::Error;

/// The newest format that this host reads, and the one that it writes.
pub const FORMAT: u32 = 1;

/// The member that holds the format. A contract without it is in format 1.
const FORMAT_MEMBER: &str = "format";

impl StepContract {
    /// Read a contract as the ledger keeps it.
    ///
    /// # Errors
    /// [`ContractError::Format`] and [`ContractError::Rules`] for a contract that only a newer host can read;
    /// [`ContractError::Unreadable`] for a damaged one.
    pub fn from_recorded(text: &str) -> Result<Self, ContractError> {
        read(serde_json::from_str(text).map_err(ContractError::Unreadable)?)
    }
}

/// The format comes first: what it changes must not be taken for damage.
fn read(value: Value) -> Result<StepContract, ContractError> {
    let step = value.get("name").and_then(Value::as_str).unwrap_or_default().to_owned();
    match value.get(FORMAT_MEMBER) {
        None => {}
        Some(format) if format.as_u64().is_some_and(|number| (1..=u64::from(FORMAT)).contains(&number)) => {}
        Some(format) => {
            return Err(ContractError::Format { step, format: format.to_string(), known: FORMAT });
        }
    }
    // The derived reader; it is no trait's method, since the type reads itself through here alone.
    let contract = StepContract::deserialize(value).map_err(ContractError::Unreadable)?;
    let revision = contract.rules.builtin;
    if Lists::of(revision).is_none() {
        return Err(ContractError::Rules { step, source: RulesError::UnknownBuiltin { revision } });
    }
    Ok(contract)
}

impl Serialize for StepContract {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut value = Self::serialize(self, serde_json::value::Serializer).map_err(S::Error::custom)?;
        if let Value::Object(members) = &mut value {
            members.insert(FORMAT_MEMBER.to_owned(), FORMAT.into());
        }
        value.serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for StepContract {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        // An error of serde keeps no source, so that the cause must stand in its text.
        read(Value::deserialize(deserializer)?).map_err(|error| match error.source() {
            Some(cause) => D::Error::custom(format!("{error}: {cause}")),
            None => D::Error::custom(error),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::contract::capability::{Mode, WantedDestination};
    use crate::contract::response::Response;
    use crate::contract::window::Window;
    use crate::identity::builtin;
    use crate::identity::rules::Rules;
    use crate::identity::work_id::Identity;
    use serde_json::json;

    fn contract() -> StepContract {
        StepContract {
            name: "lead".to_owned(),
            version: 3,
            identity: Identity::BusinessKey(vec!["/id".to_owned()]),
            rules: Rules { volatile: vec!["sentAt".to_owned()], ..Rules::default() },
            window: Window::Duration(60),
            response: Response::Original,
            mode: Mode::Recorded,
            destinations: vec![WantedDestination::any("crm")],
            models: Vec::new(),
        }
    }

    fn recorded() -> Value {
        serde_json::to_value(contract()).expect("a contract is JSON")
    }

    /// Both ways to read it must agree.
    fn read_back(value: &Value) -> Result<StepContract, ContractError> {
        let read = StepContract::from_recorded(&value.to_string());
        let derived = serde_json::from_value::<StepContract>(value.clone());
        match (&read, derived) {
            (Ok(one), Ok(other)) => assert_eq!(*one, other),
            (Err(error), Err(text)) => assert!(text.to_string().starts_with(&error.to_string()), "{text}"),
            (one, other) => panic!("{one:?} and {other:?}"),
        }
        read
    }

    #[test]
    fn a_contract_is_recorded_with_its_format_and_its_revision() {
        let value = recorded();
        assert_eq!((&value["format"], &value["rules"]["builtin"]), (&json!(1), &json!(builtin::LATEST)));
        assert_eq!(read_back(&value).expect("what this host wrote"), contract());
    }

    #[test]
    fn a_contract_from_before_there_were_formats_is_in_the_first() {
        let mut value = recorded();
        value.as_object_mut().expect("an object").remove("format");
        value["rules"].as_object_mut().expect("an object").remove("builtin");
        let read = read_back(&value).expect("an old contract");
        assert_eq!(read.rules.builtin, builtin::FIRST);
        assert_eq!(read.identity, contract().identity);
    }

    #[test]
    fn a_newer_host_may_add_what_does_not_touch_identity() {
        let mut value = recorded();
        value["owner"] = json!("sales");
        value["rules"]["hints"] = json!([]);
        assert_eq!(read_back(&value).expect("format 1"), contract());
    }

    #[test]
    fn a_newer_format_is_refused_by_name_whatever_is_in_it() {
        for format in [json!(2), json!(0), json!(1.5), json!("1"), json!(null), json!(u64::MAX)] {
            let mut value = recorded();
            value["format"] = format.clone();
            value["identity"] = json!({"something-new": 7});
            let error = read_back(&value).expect_err("not format 1");
            let text = error.to_string();
            assert!(matches!(error, ContractError::Format { .. }), "{format}: {text}");
            assert!(text.contains("\"lead\"") && text.contains(&format!("format {format},")), "{text}");
        }
    }

    #[test]
    fn an_unknown_revision_of_the_lists_is_refused_when_it_is_read() {
        let mut value = recorded();
        value["rules"]["builtin"] = json!(builtin::LATEST + 1);
        let error = read_back(&value).expect_err("a newer revision");
        assert!(matches!(error, ContractError::Rules { ref step, .. } if step == "lead"), "{error}");
        let text = serde_json::from_value::<StepContract>(value).expect_err("the same").to_string();
        assert!(text.contains("built-in lists"), "the cause stands in the text: {text}");
    }

    #[test]
    fn a_damaged_contract_is_unreadable() {
        for value in [json!(null), json!({"name": "lead"}), json!({"format": 1})] {
            let error = read_back(&value).expect_err("no contract");
            assert!(matches!(error, ContractError::Unreadable(_)), "{value}: {error}");
        }
        assert!(matches!(StepContract::from_recorded("{"), Err(ContractError::Unreadable(_))));
    }
}
