//! The rules that a run of the model keeps, and the flaws that it can be given.

/// What a receiver does with a request that it has seen before.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Tier {
    /// It remembers the idempotency key, and does nothing a second time.
    Key,
    /// It can't tell: what arrives twice is done twice.
    Blind,
}

/// A mistake in the protocol. Each must be found by the checker, or the properties say nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Flaw {
    /// A write is accepted from whoever makes it, without a look at its token.
    NoFence,
    /// A settle is accepted without a look at its token, and whatever state the work is in.
    AnyState,
    /// The work is done in one transaction, and its rows are inserted in another.
    SplitSettle,
    /// An attempt is written down when it has ended, and not before it is made.
    CountedAfter,
    /// A sender that takes over does not mark the row as perhaps applied.
    UnmarkedTakeover,
    /// Each attempt at a delivery carries an idempotency key of its own.
    FreshKey,
}

/// Sizes of a model, and its flaw.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Rules {
    /// How many hosts share the store.
    pub hosts: usize,
    /// What the receiver can do.
    pub tier: Tier,
    /// Attempts that a work, and a row, has. None where a run kept a budget that is not known here, as in a trace.
    pub attempts_max: Option<u64>,
    /// How often a person may say something about a row.
    pub words_max: u64,
    /// Tokens after which no more is looked at. It ends the walk where a flaw would let it go on for ever.
    pub sequence_max: u64,
    /// What is wrong, if anything.
    pub flaw: Option<Flaw>,
}

impl Rules {
    /// The protocol as it is meant: two hosts, two attempts, nobody who says anything.
    #[must_use]
    pub const fn sound(tier: Tier) -> Self {
        Self { hosts: 2, tier, attempts_max: Some(2), words_max: 0, sequence_max: 8, flaw: None }
    }

    /// The same with a flaw.
    #[must_use]
    pub const fn flawed(tier: Tier, flaw: Flaw) -> Self {
        Self { flaw: Some(flaw), ..Self::sound(tier) }
    }

    /// Whether this is its flaw.
    #[must_use]
    pub fn has(&self, flaw: Flaw) -> bool {
        self.flaw == Some(flaw)
    }

    /// Whether no attempt is left after so many; never where the budget is not known.
    #[must_use]
    pub fn used_up(&self, attempts: u64) -> bool {
        self.attempts_max.is_some_and(|max| attempts >= max)
    }

    /// Whether an attempt is left after so many; always where the budget is not known.
    #[must_use]
    pub fn left(&self, attempts: u64) -> bool {
        self.attempts_max.is_none_or(|max| attempts < max)
    }
}
