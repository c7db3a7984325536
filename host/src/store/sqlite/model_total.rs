//! What each model was asked, added up as it happens.

use crate::store::decision::Figures;
use crate::store::error::StoreError;
use crate::store::sqlite::tx::Tx;

/// The largest figure of one decision that is taken at its word: a provider's numbers are foreign, and their sum must fit.
const FIGURE_MAX: i64 = 1_000_000_000_000_000;

/// What happened for a model.
#[derive(Clone, Copy)]
pub(super) enum Happened<'a> {
    /// It was asked and answered.
    Asked(&'a Figures),
    /// It was asked, and no call came to an answer.
    Failed(&'a Figures),
    /// An earlier answer to an equal question was given.
    Cached,
    /// The work's own answer was given again.
    Replayed,
}

pub(super) fn add(
    tx: &Tx<'_>,
    namespace: &str,
    model: &str,
    happened: Happened<'_>,
) -> Result<(), StoreError> {
    let none = Figures::default();
    let (figures, failed, asked, cached, replayed) = match happened {
        Happened::Asked(figures) => (figures, figures.calls.saturating_sub(1), 1, 0, 0),
        Happened::Failed(figures) => (figures, figures.calls, 0, 0, 0),
        Happened::Cached => (&none, 0, 0, 1, 0),
        Happened::Replayed => (&none, 0, 0, 0, 1),
    };
    let known = |figure| stored(figure).unwrap_or(0);
    let values = (
        namespace,
        model,
        figures.calls,
        failed,
        known(figures.tokens_in),
        known(figures.tokens_out),
        known(figures.cost_micros),
        asked,
        cached,
        replayed,
    );
    tx.execute(include_str!("queries/model_total_add.sql"), values).map(|_| ())
}

/// A figure as it is stored.
pub(super) fn stored(figure: Option<u64>) -> Option<i64> {
    figure.map(|figure| i64::try_from(figure).unwrap_or(FIGURE_MAX).min(FIGURE_MAX))
}
