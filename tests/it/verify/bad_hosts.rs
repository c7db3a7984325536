//! Hosts with a fault built in are found: a checker that finds nothing would prove nothing without these.

use async_trait::async_trait;
use onceward::contract::tier::Tier;
use onceward::store::Store;
use onceward::store::decision::{DecisionQuery, Lookup};
use onceward::store::error::StoreError;
use onceward::store::outbox::{Sending, Take};
use onceward::store::work::{Settled, Settlement};
use onceward::verify::fault::Door;
use onceward::verify::finding::Finding;
use onceward::verify::process::Process;
use onceward::verify::tamper::Tamper;
use rusqlite::Connection;
use std::path::Path;
use std::time::Duration;
use support::verified::{Verified, bad_event};

/// What is found with a faulty host.
async fn findings(tier: Tier, tamper: impl Tamper + 'static) -> Vec<Finding> {
    let step = Verified::step("good_deal").declared(tier).event(bad_event("good_deal"));
    let failure = step.tampered(tamper).search(Duration::ZERO).await.failure;
    failure.expect("the faulty host is found").findings
}

/// The ledger's file, without the rules that stand in the schema itself.
fn unruled(path: &Path) -> Connection {
    let connection = Connection::open(path).expect("the ledger's file");
    connection.busy_timeout(Duration::from_secs(5)).expect("a time-out");
    connection.execute_batch("PRAGMA foreign_keys = OFF").expect("a setting");
    let rules: Vec<String> = connection
        .prepare("SELECT name FROM sqlite_schema WHERE type = 'trigger'")
        .and_then(|mut names| names.query_map([], |row| row.get(0))?.collect())
        .expect("the names of the rules");
    for rule in rules {
        connection.execute_batch(&format!("DROP TRIGGER \"{rule}\"")).expect("a rule");
    }
    connection
}

/// Takes every token for the latest.
struct WithoutFence;

#[async_trait]
impl Tamper for WithoutFence {
    async fn work_settle(
        &self,
        ledger: &dyn Store,
        settlement: Settlement,
        process: &Process,
    ) -> Result<Settled, StoreError> {
        unruled(process.ledger_path())
            .execute(
                "UPDATE work SET state = 'running', output = NULL, token = ?2, lease_until_ms = ?3 WHERE work_id = ?1",
                (
                    settlement.work.id.as_bytes(),
                    settlement.token.to_string().parse::<i64>().expect("a number"),
                    i64::MAX,
                ),
            )
            .expect("the claim is taken back");
        ledger.work_settle(settlement).await
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_host_without_the_fence_is_found() {
    let found = findings(Tier::Key, WithoutFence).await;
    let twice = |finding: &Finding| matches!(finding, Finding::FinishedTwice { .. });
    assert!(found.iter().any(twice), "{found:#?}");
}

/// Forgets what was decided.
struct WithoutPin;

#[async_trait]
impl Tamper for WithoutPin {
    async fn decision_find(&self, ledger: &dyn Store, query: DecisionQuery) -> Result<Lookup, StoreError> {
        Ok(Lookup { found: None, ..ledger.decision_find(query).await? })
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_host_without_the_pin_is_found() {
    let found = findings(Tier::Key, WithoutPin).await;
    let paid = |finding: &Finding| matches!(finding, Finding::Calls { calls: 2, allowed: 1 });
    assert!(found.iter().any(paid), "{found:#?}");
}

/// Ends a work in one transaction, and writes its rows in a second one.
struct SettlesTwice;

#[async_trait]
impl Tamper for SettlesTwice {
    async fn work_settle(
        &self,
        ledger: &dyn Store,
        settlement: Settlement,
        process: &Process,
    ) -> Result<Settled, StoreError> {
        let settled = ledger.work_settle(settlement).await?;
        let path = process.ledger_path();
        unruled(path)
            .execute_batch(
                "BEGIN IMMEDIATE;
                 CREATE TABLE IF NOT EXISTS second AS SELECT * FROM outbox WHERE 0;
                 INSERT INTO second SELECT * FROM outbox WHERE state = 'pending' AND attempt = 0;
                 DELETE FROM outbox WHERE state = 'pending' AND attempt = 0;
                 COMMIT",
            )
            .expect("the first transaction is without rows");
        process.pass(Door::Ledger, "the second transaction").await;
        unruled(path)
            .execute_batch(
                "BEGIN IMMEDIATE; INSERT INTO outbox SELECT * FROM second; DELETE FROM second; COMMIT",
            )
            .expect("the second transaction");
        Ok(settled)
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_host_that_settles_in_two_transactions_is_found() {
    let found = findings(Tier::Key, SettlesTwice).await;
    let lost = |finding: &Finding| matches!(finding, Finding::Differs { what, found, .. } if what.starts_with("what crm has") && found == "nothing");
    assert!(found.iter().any(lost), "{found:#?}");
}

/// Forgets that a row may have been applied.
struct WithoutMark;

#[async_trait]
impl Tamper for WithoutMark {
    async fn outbox_take(&self, ledger: &dyn Store, take: Take) -> Result<Vec<Sending>, StoreError> {
        let rows = ledger.outbox_take(take).await?;
        Ok(rows.into_iter().map(|row| Sending { maybe_applied: false, ..row }).collect())
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_host_that_forgets_what_may_have_been_applied_is_found() {
    let found = findings(Tier::Lookup, WithoutMark).await;
    let twice = |finding: &Finding| matches!(finding, Finding::Twice { times: 2, .. });
    assert!(found.iter().any(twice), "{found:#?}");
}

/// Keeps no evidence of these kinds.
struct WithoutEvidence(&'static str);

#[async_trait]
impl Tamper for WithoutEvidence {
    async fn work_settle(
        &self,
        ledger: &dyn Store,
        settlement: Settlement,
        process: &Process,
    ) -> Result<Settled, StoreError> {
        let kinds = self.0;
        unruled(process.ledger_path())
            .execute_batch(&format!(
                "DELETE FROM evidence WHERE kind IN ({kinds});
                 CREATE TRIGGER forgets AFTER INSERT ON evidence WHEN new.kind IN ({kinds})
                 BEGIN DELETE FROM evidence WHERE seq = new.seq; END"
            ))
            .expect("what was told is forgotten, and what will be");
        ledger.work_settle(settlement).await
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_host_whose_evidence_does_not_tell_of_what_happened_is_found() {
    for (kinds, untold) in [
        ("'claimed', 'recorded'", "its claim"),
        ("'settled', 'decided-by'", "its end"),
        ("'sent', 'decided-by'", "the delivery of \"deal\" to crm"),
    ] {
        let found = findings(Tier::Key, WithoutEvidence(kinds)).await;
        let missing = |finding: &Finding| matches!(finding, Finding::Evidence { what, .. } if what == untold);
        assert!(found.iter().any(missing), "{kinds}: {found:#?}");
    }
}

/// Forgets to tell people of what stops.
struct WithoutAlerts;

#[async_trait]
impl Tamper for WithoutAlerts {
    async fn work_settle(
        &self,
        ledger: &dyn Store,
        settlement: Settlement,
        process: &Process,
    ) -> Result<Settled, StoreError> {
        let settled = ledger.work_settle(settlement).await?;
        unruled(process.ledger_path()).execute_batch("DELETE FROM alert_due").expect("nobody is told");
        Ok(settled)
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_host_that_tells_nobody_of_what_stops_is_found() {
    let step = Verified::step("good_deal").event(bad_event("good_deal"));
    let step = step.holding("priority").alerting("pager").tampered(WithoutAlerts);
    let failure = step.search(Duration::ZERO).await.failure.expect("the faulty host is found");
    let untold = |finding: &Finding| matches!(finding, Finding::Untold { state, .. } if state == "review");
    assert!(failure.findings.iter().any(untold), "{:#?}", failure.findings);
}
