//! A list of the API, page by page, until there are enough.

use crate::api::listing::LIST_MAX;
use crate::cli::client::Client;
use anyhow::Result;
use serde::de::DeserializeOwned;

/// What to choose by, of what was said.
pub(super) fn query<const N: usize>(said: [(&str, Option<String>); N]) -> Vec<(&str, String)> {
    said.into_iter().filter_map(|(name, value)| Some((name, value?))).collect()
}

/// At most so many. `split` takes a page apart: what it lists, and what the next one is asked for by.
pub(super) async fn pages<P: DeserializeOwned, T, I: ToString>(
    client: &Client,
    path: &[&str],
    filter: &[(&str, String)],
    limit: u32,
    split: impl Fn(P) -> (Vec<T>, Option<I>),
) -> Result<Vec<T>> {
    let (mut all, mut left, mut before) = (Vec::new(), limit, None);
    loop {
        let mut query = filter.to_vec();
        query.push(("limit", left.min(LIST_MAX).to_string()));
        query.extend(before.map(|last: I| ("before", last.to_string())));
        let (page, next) = split(client.get(path, &query).await?.read()?);
        left = left.saturating_sub(u32::try_from(page.len()).unwrap_or(u32::MAX));
        all.extend(page);
        if left == 0 || next.is_none() {
            return Ok(all);
        }
        before = next;
    }
}
