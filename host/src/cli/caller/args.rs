//! What callers say on the command line.

use crate::contract::response::Response;
use crate::dispatch::caller::claim::{CALLER_LEASE_DEFAULT_MS, CALLER_LEASE_MAX_MS};
use crate::dispatch::retry::RetryPolicy;
use std::path::PathBuf;

/// A caller's lease where it asks for none, in seconds.
const LEASE_DEFAULT_S: u64 = CALLER_LEASE_DEFAULT_MS / 1_000;

/// The longest lease, in seconds.
const LEASE_MAX_S: u64 = CALLER_LEASE_MAX_MS / 1_000;

/// Arguments of `claim`.
#[derive(Debug, clap::Args)]
pub(in crate::cli) struct ClaimArgs {
    /// What the key belongs to: lower-case letters, digits and hyphens.
    pub(super) scope: String,
    /// What makes it the same work, such as an order's number. Never the time of the run.
    pub(super) key: String,
    /// The effect you are about to do. Should you go away before you record it, the work is in doubt and not done again.
    #[arg(long, value_name = "SLOT")]
    pub(super) effect: Option<String>,
    /// How long the claim holds.
    #[arg(long, value_name = "SECONDS", default_value_t = LEASE_DEFAULT_S, value_parser = clap::value_parser!(u64).range(1..=LEASE_MAX_S))]
    pub(super) lease: u64,
    /// A JSON file with what a repeat must agree in. `-` is standard input.
    #[arg(long, value_name = "FILE")]
    pub(super) content: Option<PathBuf>,
    /// When what it is about happened, with its offset; the window counts from there.
    #[arg(long, value_name = "TIME")]
    pub(super) time: Option<String>,
    /// How long the key is remembered; without it for ever.
    #[arg(long, value_name = "SECONDS", value_parser = clap::value_parser!(u64).range(1..))]
    pub(super) window: Option<u64>,
    /// What a repeat of finished work is answered.
    #[arg(long, value_enum, default_value_t = Answer::Original)]
    pub(super) response: Answer,
    /// After so many attempts the work is dead.
    #[arg(long, value_name = "N", default_value_t = RetryPolicy::default().attempts_max, value_parser = clap::value_parser!(u32).range(1..))]
    pub(super) attempts: u32,
    /// So long after its first attempt it is dead too.
    #[arg(long, value_name = "SECONDS", default_value_t = RetryPolicy::default().age_max_ms / 1_000)]
    pub(super) give_up_after: u64,
}

/// What a repeat of finished work is answered.
#[derive(Clone, Copy, Debug, clap::ValueEnum)]
pub(super) enum Answer {
    /// The first result.
    Original,
    /// That it is done.
    Acknowledgement,
    /// An error.
    Error,
}

/// Which claim is meant.
#[derive(Debug, clap::Args)]
pub(in crate::cli) struct Holding {
    /// The work's id, its beginning, or the readable key.
    pub(super) work: String,
    /// The token that `claim` gave.
    #[arg(long, value_name = "N")]
    pub(super) token: i64,
}

/// Arguments of `record`.
#[derive(Debug, clap::Args)]
pub(in crate::cli) struct RecordArgs {
    #[command(flatten)]
    pub(super) holding: Holding,
    /// The effect that has happened.
    #[arg(long, value_name = "SLOT")]
    pub(super) effect: String,
    /// The id that the third party gave.
    #[arg(long)]
    pub(super) reference: Option<String>,
}

/// Arguments of `extend`.
#[derive(Debug, clap::Args)]
pub(in crate::cli) struct ExtendArgs {
    #[command(flatten)]
    pub(super) holding: Holding,
    /// How long the claim holds from now.
    #[arg(long, value_name = "SECONDS", default_value_t = LEASE_DEFAULT_S, value_parser = clap::value_parser!(u64).range(1..=LEASE_MAX_S))]
    pub(super) lease: u64,
    /// The next effect you are about to do.
    #[arg(long, value_name = "SLOT")]
    pub(super) effect: Option<String>,
}

/// Arguments of `settle`.
#[derive(Debug, clap::Args)]
pub(in crate::cli) struct SettleArgs {
    #[command(flatten)]
    pub(super) holding: Holding,
    #[command(flatten)]
    pub(super) outcome: OutcomeArgs,
    /// With `--retry`: no sooner than in so many milliseconds.
    #[arg(long, value_name = "MS", requires = "retry", default_value_t = 0)]
    pub(super) after_ms: u64,
}

/// How it ended.
#[derive(Debug, clap::Args)]
#[group(required = true, multiple = false)]
pub(super) struct OutcomeArgs {
    /// It is done, with this result. An effect that is still open has happened.
    #[arg(long, value_name = "JSON")]
    pub(super) done: Option<String>,
    /// Again, at your next claim. An effect that is still open has not happened.
    #[arg(long, value_name = "REASON")]
    pub(super) retry: Option<String>,
    /// It can never succeed. An effect that is still open has not happened.
    #[arg(long, value_name = "REASON")]
    pub(super) reject: Option<String>,
    /// A person must decide.
    #[arg(long, value_name = "REASON")]
    pub(super) review: Option<String>,
    /// The effect may or may not have happened; a person must find out.
    #[arg(long, value_name = "REASON")]
    pub(super) doubt: Option<String>,
}

impl From<Answer> for Response {
    fn from(answer: Answer) -> Self {
        match answer {
            Answer::Original => Self::Original,
            Answer::Acknowledgement => Self::Acknowledgement,
            Answer::Error => Self::Error,
        }
    }
}
