//! The faults a test can order.
//!
//! Owns the words a fault is spelled with (`lose-reply`, `status:503:retry-after=2`). It refuses
//! words it does not know, naming the ones it does. It carries nothing out; `write` and `search`
//! do that, and `fault_queue` keeps what is ordered.

use std::fmt;
use std::str::FromStr;

use anyhow::Context;
use anyhow::bail;

/// The words of every fault, shown when one is not understood.
const SPELLINGS: &str = "lose-reply, cut-reply, crash-before-write, crash-after-write, refuse, \
    status:CODE, status:CODE:retry-after=VALUE, applied-status:CODE, conflict, in-progress, \
    hang:MS, slow:MS, redirect:URL, big-receipt:BYTES, unreadable-receipt; for a search with \
    `search:` before it";

/// The largest receipt a test may order. Enough to pass any sane receipt limit many times over,
/// and far from what would trouble the machine.
const BIG_RECEIPT_LIMIT_BYTES: usize = 64 * 1024 * 1024;

/// One thing that goes wrong with one write request, or, ordered with `search:` before it, with one
/// search.
///
/// "Written" means that the deal and the request's verdict are committed before the fault shows. A
/// search writes nothing but its arrival, and meets only the faults that [`Fault::meets_searches`]
/// names.
///
/// ```
/// use support::receiver::faults::Fault;
///
/// let fault: Fault = "status:503:retry-after=Fri, 31 Dec 1999 23:59:59 GMT".parse()?;
/// assert_eq!(
///     fault,
///     Fault::Status { code: 503, retry_after: Some("Fri, 31 Dec 1999 23:59:59 GMT".to_owned()) },
/// );
/// assert_eq!(fault.to_string(), "status:503:retry-after=Fri, 31 Dec 1999 23:59:59 GMT");
/// assert!("status:teapot".parse::<Fault>().is_err());
/// # Ok::<(), anyhow::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Fault {
    /// Written, then the connection is closed without one byte of an answer.
    LoseReply,
    /// Written, then the status line, the headers and half of the body are sent, and the
    /// connection is closed.
    CutReply,
    /// The receiver dies with nothing written but the request's arrival.
    CrashBeforeWrite,
    /// Written, then the receiver dies before it answers.
    CrashAfterWrite,
    /// The connection is reset before the body is read; nothing is written but the arrival.
    Refuse,
    /// Nothing is written; this status is the answer.
    Status {
        /// The status code, 200 to 599.
        code: u16,
        /// The value of a `Retry-After` header, sent as it stands, rubbish included.
        retry_after: Option<String>,
    },
    /// Written, then this status is the answer.
    AppliedStatus {
        /// The status code, 200 to 599.
        code: u16,
    },
    /// Nothing is written; the answer is 422, "same key, other content".
    Conflict,
    /// Nothing is written; the answer is 409, "same key, still in work".
    InProgress,
    /// Written at once; the answer comes this many milliseconds later.
    Hang {
        /// The wait between the write and the answer.
        wait_ms: u64,
    },
    /// The write comes this many milliseconds later, even if the client has left, and the answer
    /// after it. Until then the key is in work.
    Slow {
        /// The wait before the write.
        wait_ms: u64,
    },
    /// Nothing is written; the answer is 307 to this address.
    Redirect {
        /// The `Location` header, sent as it stands.
        url: String,
    },
    /// Written; the receipt is valid JSON of exactly this many bytes.
    BigReceipt {
        /// The size of the whole body.
        size_bytes: usize,
    },
    /// Written; the receipt of the 201 is not JSON.
    UnreadableReceipt,
}

impl Fault {
    /// The `status:CODE` fault without a `Retry-After`.
    #[must_use]
    pub fn status(code: u16) -> Self {
        Self::Status { code, retry_after: None }
    }

    /// Whether a search can meet it too: all that concern an answer and not a write, which are
    /// `lose-reply`, `cut-reply`, `refuse`, `status`, `hang`, `redirect` and `unreadable-receipt`.
    #[must_use]
    pub fn meets_searches(&self) -> bool {
        match self {
            Self::LoseReply
            | Self::CutReply
            | Self::Refuse
            | Self::Status { .. }
            | Self::Hang { .. }
            | Self::Redirect { .. }
            | Self::UnreadableReceipt => true,
            Self::CrashBeforeWrite
            | Self::CrashAfterWrite
            | Self::AppliedStatus { .. }
            | Self::Conflict
            | Self::InProgress
            | Self::Slow { .. }
            | Self::BigReceipt { .. } => false,
        }
    }
}

impl FromStr for Fault {
    type Err = anyhow::Error;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let (word, value) = match text.split_once(':') {
            Some((word, value)) => (word, Some(value)),
            None => (text, None),
        };
        let fault = match (word, value) {
            ("lose-reply", None) => Self::LoseReply,
            ("cut-reply", None) => Self::CutReply,
            ("crash-before-write", None) => Self::CrashBeforeWrite,
            ("crash-after-write", None) => Self::CrashAfterWrite,
            ("refuse", None) => Self::Refuse,
            ("conflict", None) => Self::Conflict,
            ("in-progress", None) => Self::InProgress,
            ("unreadable-receipt", None) => Self::UnreadableReceipt,
            ("status", Some(value)) => {
                parse_status(value).with_context(|| format!("could not read the fault `{text}`"))?
            }
            ("applied-status", Some(value)) => Self::AppliedStatus {
                code: parse_code(value).with_context(|| format!("could not read the fault `{text}`"))?,
            },
            ("hang", Some(value)) => Self::Hang { wait_ms: parse_number(text, value)? },
            ("slow", Some(value)) => Self::Slow { wait_ms: parse_number(text, value)? },
            ("redirect", Some(url)) if !url.is_empty() => Self::Redirect { url: url.to_owned() },
            ("big-receipt", Some(value)) => Self::BigReceipt { size_bytes: parse_number(text, value)? },
            _ => bail!("`{text}` is not a fault; write one of: {SPELLINGS}"),
        };
        if let Self::BigReceipt { size_bytes } = fault
            && size_bytes > BIG_RECEIPT_LIMIT_BYTES
        {
            bail!("the fault `{text}` is too big; order at most {BIG_RECEIPT_LIMIT_BYTES} bytes");
        }
        Ok(fault)
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::LoseReply => out.write_str("lose-reply"),
            Self::CutReply => out.write_str("cut-reply"),
            Self::CrashBeforeWrite => out.write_str("crash-before-write"),
            Self::CrashAfterWrite => out.write_str("crash-after-write"),
            Self::Refuse => out.write_str("refuse"),
            Self::Status { code, retry_after: None } => write!(out, "status:{code}"),
            Self::Status { code, retry_after: Some(value) } => {
                write!(out, "status:{code}:retry-after={value}")
            }
            Self::AppliedStatus { code } => write!(out, "applied-status:{code}"),
            Self::Conflict => out.write_str("conflict"),
            Self::InProgress => out.write_str("in-progress"),
            Self::Hang { wait_ms } => write!(out, "hang:{wait_ms}"),
            Self::Slow { wait_ms } => write!(out, "slow:{wait_ms}"),
            Self::Redirect { url } => write!(out, "redirect:{url}"),
            Self::BigReceipt { size_bytes } => write!(out, "big-receipt:{size_bytes}"),
            Self::UnreadableReceipt => out.write_str("unreadable-receipt"),
        }
    }
}

/// Reads `CODE` or `CODE:retry-after=VALUE`. The value may hold colons, as HTTP dates do.
fn parse_status(value: &str) -> anyhow::Result<Fault> {
    let Some((code, rest)) = value.split_once(':') else {
        return Ok(Fault::status(parse_code(value)?));
    };
    let Some(retry_after) = rest.strip_prefix("retry-after=") else {
        bail!("`{rest}` stands after the status code; only `retry-after=VALUE` may");
    };
    Ok(Fault::Status { code: parse_code(code)?, retry_after: Some(retry_after.to_owned()) })
}

/// Reads a status code that can end an exchange: a 1xx would leave the client waiting for more.
fn parse_code(value: &str) -> anyhow::Result<u16> {
    match value.parse() {
        Ok(code @ 200..=599) => Ok(code),
        _ => bail!("`{value}` is no status code; write a number from 200 to 599"),
    }
}

fn parse_number<N: FromStr>(fault: &str, value: &str) -> anyhow::Result<N>
where
    N::Err: std::error::Error + Send + Sync + 'static,
{
    value.parse().with_context(|| format!("could not read the number in the fault `{fault}`"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_spelling_is_read_and_shown_alike() {
        for text in [
            "lose-reply",
            "cut-reply",
            "crash-before-write",
            "crash-after-write",
            "refuse",
            "status:500",
            "status:429:retry-after=2",
            "status:503:retry-after=Sunday, 06-Nov-94 08:49:37 GMT",
            "status:503:retry-after=",
            "applied-status:502",
            "conflict",
            "in-progress",
            "hang:10",
            "slow:10",
            "redirect:http://127.0.0.1:9/deals",
            "big-receipt:1048576",
            "unreadable-receipt",
        ] {
            let fault: Fault = text.parse().unwrap_or_else(|e| panic!("{text}: {e:#}"));
            assert_eq!(fault.to_string(), text);
        }
    }
}
