#![doc = include_str!("../README.md")]

mod address;
mod cursor;

pub use crate::cursor::Cursor;

use onceward_guest::ledger::ItemVerdict;
use onceward_guest::prelude::*;
use serde::Deserialize;
use serde::Serialize;
use std::collections::BTreeMap;
use std::time::Duration;

/// Listings of one chunk. A crash costs at most one chunk's work, none of which had an effect yet; the host takes 256
/// rows of a run.
const CHUNK_LISTINGS: usize = 150;

/// How long another run of this step may need for the chunk that it holds. Runs end within seconds.
const OTHER_RUN: Duration = Duration::from_secs(5);

/// The step.
#[derive(Debug)]
pub struct ListingScraper;

impl Step for ListingScraper {
    type Input = Page;
    type Output = Cursor;

    fn handle(work: Work<Page>) -> Result<Outcome<Cursor>, Failure> {
        let Page { site, listings } = work.payload;
        let mut cursor = Cursor::load()?;
        let chunk = listings.get(cursor.listings..).unwrap_or_default();
        let chunk = &chunk[..chunk.len().min(CHUNK_LISTINGS)];

        let mut by_key = BTreeMap::new();
        for listing in chunk {
            cursor.listings += 1;
            match address::key(&listing.url) {
                // Two of one chunk with one key are one listing, and the first counts.
                Ok(key) if by_key.contains_key(&key) => cursor.known += 1,
                Ok(key) => drop(by_key.insert(key, listing)),
                Err(why) => {
                    journal::note(format!("listing {} is left out: {why}", cursor.listings));
                    cursor.left_out += 1;
                }
            }
        }
        let verdicts = ledger::claim(by_key.keys().cloned())?;
        for ((key, listing), verdict) in by_key.iter().zip(verdicts) {
            match verdict {
                ItemVerdict::Acquired => {
                    let row = Found { url: key, site: &site, title: &listing.title, price: &listing.price };
                    let row_id = Row::to("listings").slot(key).payload(&row).enqueue()?;
                    ledger::record_effect(key, Some(&row_id))?;
                    cursor.new += 1;
                }
                ItemVerdict::Done(_) => cursor.known += 1,
                // It may fail and give its listings back, so they are not passed by. Nothing of this chunk is kept.
                ItemVerdict::InProgress => {
                    return Err(Failure::retry_after("another run holds listings of this chunk", OTHER_RUN));
                }
            }
        }
        if cursor.listings < listings.len() {
            return Ok(Outcome::continue_from(cursor.write()?));
        }
        Ok(match cursor.left_out {
            0 => Outcome::done(cursor),
            count => Outcome::done_for_review(cursor, format!("{count} listings have no usable address")),
        })
    }
}

step! {
    ListingScraper,
    name: "listing-scraper",
    version: 1,
    // The run is not the work: the same list under another run id is the same list.
    identity: Identity::Content,
    window: Window::days(30),
    response: Response::Original,
    volatile: ["scraped_at"],
    urls: ["/listings/*/url"],
    destinations: ["listings"],
}

/// A list as a scraper brings it.
#[derive(Debug, Clone, Deserialize)]
pub struct Page {
    /// Where it was found.
    pub site: String,
    /// What was found.
    pub listings: Vec<Listing>,
}

/// One entry of the list.
#[derive(Debug, Clone, Deserialize)]
pub struct Listing {
    /// Its address, which is what it is known by.
    pub url: String,
    /// Its title.
    pub title: Option<String>,
    /// Its price, as the site writes it.
    pub price: Option<String>,
}

/// The body of the outbox row.
#[derive(Debug, Serialize)]
struct Found<'a> {
    url: &'a str,
    site: &'a str,
    title: &'a Option<String>,
    price: &'a Option<String>,
}
