//! A connection that is kept open, for programs that send many requests one after the other.
//!
//! Owns one connection over TCP without delay (`TCP_NODELAY`), and reads an answer by its `Content-Length`. It fails where no
//! answer comes in time, or one has no status.

use anyhow::Context as _;
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{SocketAddr, TcpStream};
use std::time::Duration;

/// How long an answer may take, in seconds.
const SILENCE_LIMIT_S: u64 = 120;

/// An answer, as far as it matters to who sends many.
#[derive(Debug)]
pub struct Answer {
    /// The status code.
    pub status: u16,
    /// The body.
    pub body: String,
}

/// A connection that is kept open.
#[derive(Debug)]
pub struct Connection {
    stream: TcpStream,
    reader: BufReader<TcpStream>,
    line: String,
}

impl Connection {
    /// Connect.
    ///
    /// # Errors
    /// Where that is not possible.
    pub fn open(address: SocketAddr) -> anyhow::Result<Self> {
        let stream = TcpStream::connect(address).context("connecting")?;
        stream.set_nodelay(true).context("setting up a connection")?;
        stream
            .set_read_timeout(Some(Duration::from_secs(SILENCE_LIMIT_S)))
            .context("setting up a connection")?;
        let reader = BufReader::new(stream.try_clone().context("setting up a connection")?);
        Ok(Self { stream, reader, line: String::new() })
    }

    /// Send a whole request, and wait for its answer.
    ///
    /// # Errors
    /// Where it can't be sent, or no answer comes that can be read.
    pub fn send(&mut self, request: &[u8]) -> anyhow::Result<Answer> {
        self.stream.write_all(request).context("sending a request")?;
        let Self { reader, line, .. } = self;
        line.clear();
        reader.read_line(line).context("reading a status line")?;
        let status = line.get(9..12).and_then(|code| code.parse().ok());
        let status = status.with_context(|| format!("no status in {line:?}"))?;
        let mut length = 0;
        loop {
            line.clear();
            reader.read_line(line).context("reading a head")?;
            if line.trim().is_empty() {
                break;
            }
            if let Some((name, value)) = line.split_once(':')
                && name.eq_ignore_ascii_case("content-length")
            {
                length = value.trim().parse().context("reading a length")?;
            }
        }
        let mut body = vec![0; length];
        reader.read_exact(&mut body).context("reading a body")?;
        Ok(Answer { status, body: String::from_utf8(body).context("reading a body")? })
    }
}

/// A request that posts JSON, as bytes on the wire. `heads` are further lines of its head, each with its line end.
#[must_use]
pub fn post(path: &str, heads: &str, body: &str) -> Vec<u8> {
    let length = body.len();
    format!(
        "POST {path} HTTP/1.1\r\nHost: host\r\nContent-Type: application/json\r\n{heads}Content-Length: {length}\r\n\r\n{body}"
    )
    .into_bytes()
}
