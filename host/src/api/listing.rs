//! Lists: how long one is, how its next page is asked for, and the words that choose from it.

use crate::api::error::{Kind, Problem};

/// What is listed where nobody says how many.
pub const LIST_DEFAULT: u32 = 50;

/// What is listed at most at once: each comes with its payload.
pub const LIST_MAX: u32 = 1_000;

/// How many of a list that has a next page.
pub(super) fn page(limit: Option<u32>) -> u32 {
    limit.unwrap_or(LIST_DEFAULT).min(LIST_MAX)
}

/// What the next page is asked for by: the last one of this page, where this page is full.
pub(super) fn next<T, I>(items: &[T], limit: u32, id: impl Fn(&T) -> I) -> Option<I> {
    let full = items.len() == usize::try_from(limit).unwrap_or(usize::MAX);
    items.last().filter(|_| full).map(id)
}

/// How many of a list that has no next page: what is cut off must not look whole.
///
/// # Errors
/// [`Problem`], where it is more than are listed.
pub(super) fn whole(limit: Option<u32>) -> Result<u32, Problem> {
    let limit = limit.unwrap_or(LIST_DEFAULT);
    if limit <= LIST_MAX {
        return Ok(limit);
    }
    let detail = format!("reading `limit`: it is {limit}, and {LIST_MAX} are listed at most");
    Err(Problem::new(Kind::BadRequest, detail).remedy("choose fewer by what they have in common"))
}

/// The state of this word.
///
/// # Errors
/// [`Problem`], where there is none.
pub(super) fn state<S: Copy>(text: &str, all: &[S], word: fn(S) -> &'static str) -> Result<S, Problem> {
    all.iter().copied().find(|state| word(*state) == text).ok_or_else(|| {
        let known = all.iter().copied().map(word).collect::<Vec<_>>().join(", ");
        Problem::new(
            Kind::BadRequest,
            format!("reading `state`: there is no state {text:?}; take one of {known}"),
        )
    })
}
