//! What a call meets.
//!
//! | word | the provider |
//! |---|---|
//! | `ok` | answers |
//! | `slow:200` | answers after 200 ms |
//! | `429:7` | answers 429 with `Retry-After: 7` |
//! | `status:500` | answers this status, with an error that quotes the question and the key |
//! | `refusal` | has the model refuse |
//! | `filter` | has a content filter stop the answer |
//! | `cut` | stops at the limit of tokens |
//! | `not-json` | answers 200 with a body that is an error page |
//! | `prose` | answers with text that is no JSON |
//! | `misfit` | answers with JSON that fits no schema of a step |
//! | `echo` | answers with the key in the answer |

use anyhow::{Context as _, bail};

/// What one call meets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mode {
    /// An answer.
    Ok,
    /// An answer after so many milliseconds.
    Slow(u64),
    /// 429, and in how many seconds to come back.
    Limited(u64),
    /// Another status.
    Status(u16),
    /// The model refuses.
    Refusal,
    /// A content filter.
    Filter,
    /// An answer that stops at its limit.
    Cut,
    /// A body that is no JSON.
    NotJson,
    /// An answer that is no JSON.
    Prose,
    /// An answer that fits no schema.
    Misfit,
    /// An answer with the key in it.
    Echo,
}

impl Mode {
    /// The mode of this word.
    ///
    /// # Errors
    /// Where it is none.
    pub fn parse(word: &str) -> anyhow::Result<Self> {
        let (name, value) = word.split_once(':').unwrap_or((word, ""));
        let number = || value.parse::<u64>().with_context(|| format!("{word:?} needs a number after `:`"));
        Ok(match name {
            "ok" => Self::Ok,
            "slow" => Self::Slow(number()?),
            "429" => Self::Limited(number()?),
            "status" => Self::Status(u16::try_from(number()?).context("a status has three digits")?),
            "refusal" => Self::Refusal,
            "filter" => Self::Filter,
            "cut" => Self::Cut,
            "not-json" => Self::NotJson,
            "prose" => Self::Prose,
            "misfit" => Self::Misfit,
            "echo" => Self::Echo,
            _ => bail!("{word:?} is no mode of the model server"),
        })
    }
}
