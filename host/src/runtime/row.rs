//! A row as a step or an outside caller describes it, read into one that can be recorded.
//!
//! It refuses names that are empty, too long or can't be stored, payloads without a single meaning, and receipt steps that
//! this host does not run. Who may send where is the asker's to know, and said in the asker's words.

use crate::identity::json_text;
use crate::identity::work_id::row_id;
use crate::identity::work_id::row_payload_hash;
use crate::runtime::job::RowTerms;
use crate::runtime::name;
use crate::runtime::name::NameFault;
use crate::store::outbox::{Approval, NewRow, ReceiptStep};
use crate::store::work::{CHAIN_DEPTH_MAX, WorkRecord};
use std::collections::BTreeMap;

/// A row as it is described.
#[derive(Clone, Debug)]
pub struct RowDraft {
    /// The destination by the operator's name.
    pub destination: String,
    /// The effect's name within the handoff.
    pub slot: String,
    /// The effect's own version, from 1.
    pub effect_version: u32,
    /// JSON text.
    pub payload: String,
    /// Rows of one destination with the same key leave in order.
    pub ordering_key: Option<String>,
    /// Where a person must approve it first.
    pub approval: Option<Approval>,
    /// The step that goes on from the receipt.
    pub receipt_step: Option<String>,
}

/// What is wrong with a row.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum RowFault {
    /// It is not usable as it is.
    #[error("{0}")]
    Invalid(String),
    /// It is more than there may be.
    #[error("{0}")]
    Limit(String),
    /// Nobody lets the asker send there.
    #[error("the destination {0:?} is not there for the asker")]
    Destination(String),
}

impl From<NameFault> for RowFault {
    fn from(fault: NameFault) -> Self {
        match fault {
            NameFault::Long(_) => Self::Limit(fault.to_string()),
            NameFault::Nul(_) => Self::Invalid(fault.to_string()),
        }
    }
}

impl RowDraft {
    /// The row, for a work. The terms are those of its destination, where the asker may send there.
    ///
    /// # Errors
    /// [`RowFault`] says what is wrong with it.
    pub fn row(
        self,
        work: &WorkRecord,
        terms: Option<&RowTerms>,
        receipt_steps: &BTreeMap<String, u32>,
    ) -> Result<NewRow, RowFault> {
        self.check_names()?;
        let Some(terms) = terms else { return Err(RowFault::Destination(self.destination)) };
        let step = |name: &String| receipt_step(name, work, receipt_steps);
        let receipt_step = self.receipt_step.as_ref().map(step).transpose()?;
        if self.effect_version == 0 {
            return Err(RowFault::Invalid("effect versions count from 1".to_owned()));
        }
        let payload = json_text::parse(&self.payload)
            .map_err(|error| RowFault::Invalid(format!("the payload is not usable JSON: {error}")))?;
        let (slot, version) = (&self.slot, self.effect_version);
        Ok(NewRow {
            id: row_id(&work.namespace, &work.root_key, &self.destination, slot, version),
            destination: self.destination,
            slot: self.slot,
            effect_version: self.effect_version,
            payload: self.payload,
            payload_hash: row_payload_hash(&payload),
            same: terms.sameness.as_ref().and_then(|rule| rule.of(&payload)),
            ordering_key: self.ordering_key,
            approval: self.approval.or_else(|| terms.approval()),
            receipt_step,
        })
    }

    fn check_names(&self) -> Result<(), RowFault> {
        let names = [
            ("a destination's name", Some(&self.destination)),
            ("a slot", Some(&self.slot)),
            ("an ordering key", self.ordering_key.as_ref()),
            ("the reason of an approval", self.approval.as_ref().map(|approval| &approval.reason)),
        ];
        for (what, name) in names {
            let Some(name) = name else { continue };
            name::check(what, name)?;
        }
        if self.slot.is_empty() {
            return Err(RowFault::Invalid("the slot is empty; name the effect".to_owned()));
        }
        if self.ordering_key.as_ref().is_some_and(String::is_empty) {
            let what = "the ordering key is empty; name what is in order, or leave it out";
            return Err(RowFault::Invalid(what.to_owned()));
        }
        Ok(())
    }
}

/// The step that a row names for its receipt.
fn receipt_step(
    step: &str,
    work: &WorkRecord,
    receipt_steps: &BTreeMap<String, u32>,
) -> Result<ReceiptStep, RowFault> {
    let Some(version) = receipt_steps.get(step) else {
        let known = receipt_steps.keys().cloned().collect::<Vec<_>>().join(", ");
        return Err(RowFault::Invalid(format!(
            "the receipt step {step:?} is none that this host runs outside its flow; it has {known}"
        )));
    };
    if work.chain_depth >= CHAIN_DEPTH_MAX {
        return Err(RowFault::Limit(format!(
            "{CHAIN_DEPTH_MAX} works that follow one another (chain depth)"
        )));
    }
    Ok(ReceiptStep { step: step.to_owned(), version: *version })
}
