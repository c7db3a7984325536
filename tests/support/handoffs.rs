//! What the receiver has of each lead: its deal, its reply, its owner.
//!
//! Owns the count, which is made from the receiver's own file; the host is not asked. It fails where the file can't be
//! read, or a row names no lead.

use crate::receiver::evidence;
use crate::receiver::evidence::Deal;
use anyhow::Context as _;
use serde_json::Value;
use std::path::Path;

/// Each list names the lead (its message id) of each row of one kind.
#[derive(Debug, PartialEq, Eq)]
pub struct Handoffs {
    /// Leads with a deal; one that has two stands there twice.
    pub deals: Vec<String>,
    /// Leads with a reply.
    pub replies: Vec<String>,
    /// Leads whose deal has been given an owner. They are told by their deal's id.
    pub owners: Vec<String>,
}

impl Handoffs {
    /// Read them from the receiver's folder.
    ///
    /// # Errors
    /// Where the file can't be read, or a row names no lead.
    pub fn of(receiver_dir: &Path) -> anyhow::Result<Self> {
        let rows = evidence::deals(receiver_dir)?;
        let of_kind = |kind: &'static str| rows.iter().filter(move |row| row.kind == kind);
        let deals = of_kind("deals").map(|row| Ok((row.id.as_str(), named(row, "/reference/message_id")?)));
        let deals = deals.collect::<anyhow::Result<Vec<_>>>()?;
        let replies = of_kind("messages").map(|row| named(row, "/in_reply_to/message_id"));
        let owners = of_kind("owners").map(|row| {
            let deal = named(row, "/deal")?;
            let lead = deals.iter().find(|(id, _)| *id == deal).map(|(_, lead)| lead.clone());
            lead.with_context(|| format!("{} was given to a deal that is not there: {deal}", row.id))
        });
        let (replies, owners) =
            (replies.collect::<anyhow::Result<_>>()?, owners.collect::<anyhow::Result<_>>()?);
        Ok(Self { deals: deals.into_iter().map(|(_, lead)| lead).collect(), replies, owners })
    }

    /// How many of these leads lack a deal, a reply or an owner.
    #[must_use]
    pub fn lost(&self, leads: &[String]) -> usize {
        leads.iter().filter(|lead| self.lists().iter().any(|list| !list.contains(lead))).count()
    }

    /// How many deals, replies and owners are there beyond one for each of these leads.
    #[must_use]
    pub fn twice(&self, leads: &[String]) -> usize {
        let beyond = |list: &&Vec<String>| {
            let once = leads.iter().filter(|lead| list.contains(lead)).count();
            list.len() - once
        };
        self.lists().iter().map(beyond).sum()
    }

    fn lists(&self) -> [&Vec<String>; 3] {
        [&self.deals, &self.replies, &self.owners]
    }
}

fn named(row: &Deal, pointer: &str) -> anyhow::Result<String> {
    let body: Value =
        serde_json::from_str(&row.body).with_context(|| format!("reading the body of {}", row.id))?;
    let name = body.pointer(pointer).and_then(Value::as_str);
    name.map(str::to_owned).with_context(|| format!("{} has nothing at {pointer}", row.id))
}

#[cfg(test)]
mod tests {
    use super::Handoffs;

    #[test]
    fn what_is_missing_and_what_is_there_twice_is_counted() {
        let names = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect::<Vec<_>>();
        let leads = names(&["a", "b"]);
        let check = |deals: &[&str], replies: &[&str], owners: &[&str], lost: usize, twice: usize| {
            let all = Handoffs { deals: names(deals), replies: names(replies), owners: names(owners) };
            assert_eq!((all.lost(&leads), all.twice(&leads)), (lost, twice), "{all:?}");
        };
        check(&["a", "b"], &["b", "a"], &["a", "b"], 0, 0);
        check(&["a"], &["a", "b"], &["a", "b"], 1, 0);
        check(&[], &[], &[], 2, 0);
        check(&["a", "b", "a"], &["a", "b"], &["b", "b"], 1, 2);
        check(&["a", "b", "stranger"], &["a", "b"], &["a", "b"], 0, 1);
    }
}
