//! The contracts that identities were derived under.

use crate::contract::step::ContractError;
use crate::contract::step::StepContract;
use crate::store::error::StoreError;
use crate::store::sqlite::tx::Tx;
use std::sync::Arc;

/// Record a contract; the contracts of the step's other versions, newest first. A newer one is among them where an
/// older step has been put back: its works must be found as well.
pub(super) fn register(
    tx: &Tx<'_>,
    namespace: &str,
    contract: &StepContract,
) -> Result<Vec<StepContract>, StoreError> {
    let mut recorded = list(tx, namespace, &contract.name)?;
    if let Some(same) = recorded.iter().find(|earlier| earlier.version == contract.version) {
        if !same.identifies_like(contract) {
            return Err(StoreError::Contract(Arc::new(ContractError::ChangedWithoutVersion {
                step: contract.name.clone(),
                version: contract.version,
            })));
        }
    } else {
        let text = serde_json::to_string(contract).map_err(|error| tx.corrupt(error.to_string()))?;
        let values = (namespace, &contract.name, contract.version, text);
        tx.execute(include_str!("queries/contract_insert.sql"), values)?;
    }
    recorded.retain(|earlier| earlier.version != contract.version);
    Ok(recorded)
}

fn list(tx: &Tx<'_>, namespace: &str, step: &str) -> Result<Vec<StepContract>, StoreError> {
    let texts: Vec<String> =
        tx.all(include_str!("queries/contract_list.sql"), (namespace, step), |row| row.get("contract"))?;
    texts
        .iter()
        .map(|text| StepContract::from_recorded(text).map_err(|error| StoreError::Contract(Arc::new(error))))
        .collect()
}
