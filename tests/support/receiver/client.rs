//! A small blocking HTTP client that tells what happened on the wire.
//!
//! Owns one exchange on one connection: it writes the bytes it is given, reads until the receiver
//! closes, and says what came and how it ended. Real clients hide that; here it is the evidence. It
//! never follows, retries or reuses anything. It fails only where no connection could be made or
//! the receiver stays silent too long; a broken connection is a result.

use std::io;
use std::io::Read;
use std::io::Write;
use std::net::SocketAddr;
use std::net::TcpStream;
use std::time::Duration;

use anyhow::Context;

/// How long a client waits for the next byte. Longer than any wait a test orders and sees through.
const SILENCE_LIMIT_MS: u64 = 30_000;

/// Everything that came over one connection.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Exchange {
    /// The bytes received, head and body.
    pub bytes: Vec<u8>,
    /// Whether the connection ended in a reset rather than an orderly close.
    pub reset: bool,
}

impl Exchange {
    /// The status code, where a status line came.
    #[must_use]
    pub fn status(&self) -> Option<u16> {
        let code = self.head().strip_prefix("HTTP/1.1 ")?.get(..3)?;
        code.parse().ok()
    }

    /// The value of a header, its name in any case.
    #[must_use]
    pub fn header(&self, name: &str) -> Option<&str> {
        self.head()
            .lines()
            .filter_map(|line| line.split_once(": "))
            .find(|(found, _)| found.eq_ignore_ascii_case(name))
            .map(|(_, value)| value)
    }

    /// What came of the body.
    #[must_use]
    pub fn body(&self) -> &[u8] {
        self.split().map_or(&[], |(_, body)| body)
    }

    /// All of it as text, for failures of tests.
    #[must_use]
    pub fn text(&self) -> String {
        String::from_utf8_lossy(&self.bytes).into_owned()
    }

    /// The body as JSON.
    ///
    /// # Errors
    /// Where it is none.
    pub fn json(&self) -> anyhow::Result<serde_json::Value> {
        let body = self.body();
        serde_json::from_slice(body)
            .with_context(|| format!("could not read JSON: {}", String::from_utf8_lossy(body)))
    }

    /// Whether the whole answer came: a head, and as many bytes as it announced.
    #[must_use]
    pub fn is_whole(&self) -> bool {
        let announced = self.header("content-length").and_then(|value| value.parse().ok());
        self.split().is_some() && announced.unwrap_or(0) == self.body().len()
    }

    fn head(&self) -> &str {
        self.split().map_or("", |(head, _)| std::str::from_utf8(head).unwrap_or(""))
    }

    fn split(&self) -> Option<(&[u8], &[u8])> {
        const END: &[u8] = b"\r\n\r\n";
        let at = self.bytes.windows(END.len()).position(|window| window == END)?;
        Some((&self.bytes[..at], &self.bytes[at + END.len()..]))
    }
}

/// Sends a write of JSON with this key, or without one.
///
/// # Errors
/// As [`send`].
pub fn post(address: SocketAddr, path: &str, key: Option<&str>, body: &[u8]) -> anyhow::Result<Exchange> {
    let headers: Vec<(&str, &str)> = key.map(|key| ("Idempotency-Key", key)).into_iter().collect();
    send(address, "POST", path, &headers, body)
}

/// Asks for a path.
///
/// # Errors
/// As [`send`].
pub fn get(address: SocketAddr, path: &str) -> anyhow::Result<Exchange> {
    send(address, "GET", path, &[], b"")
}

/// Sends one request and reads until the connection ends.
///
/// # Errors
/// Where no connection can be made, or nothing comes for the silence limit (30 seconds).
pub fn send(
    address: SocketAddr,
    method: &str,
    path: &str,
    headers: &[(&str, &str)],
    body: &[u8],
) -> anyhow::Result<Exchange> {
    exchange(address, &request(method, path, headers, body))
}

/// Sends these very bytes and reads until the connection ends.
///
/// # Errors
/// As [`send`].
pub fn exchange(address: SocketAddr, request: &[u8]) -> anyhow::Result<Exchange> {
    exchange_on(&mut open(address)?, request)
        .with_context(|| format!("could not read the answer of {address}"))
}

/// The same, on a connection that is open already, of whatever kind.
///
/// # Errors
/// Where nothing can be read from it.
pub fn exchange_on(stream: &mut (impl Read + Write), request: &[u8]) -> anyhow::Result<Exchange> {
    let mut exchange = Exchange { bytes: Vec::new(), reset: false };
    // A receiver may well close while the request is being written; what it said before that can
    // still be read.
    let written = stream.write_all(request);
    exchange.reset = written.is_err_and(|error| is_reset(&error));
    match stream.read_to_end(&mut exchange.bytes) {
        Ok(_) => {}
        Err(error) if is_reset(&error) => exchange.reset = true,
        Err(error) => return Err(error).context("reading an answer"),
    }
    Ok(exchange)
}

/// Sends one request and gives back the open connection, so that a test can leave without waiting
/// for the answer: it leaves by dropping it.
///
/// # Errors
/// Where no connection can be made or the request can't be written.
pub fn send_only(
    address: SocketAddr,
    method: &str,
    path: &str,
    headers: &[(&str, &str)],
    body: &[u8],
) -> anyhow::Result<TcpStream> {
    let mut stream = open(address)?;
    stream
        .write_all(&request(method, path, headers, body))
        .with_context(|| format!("could not write to {address}"))?;
    Ok(stream)
}

fn open(address: SocketAddr) -> anyhow::Result<TcpStream> {
    let stream = TcpStream::connect(address).with_context(|| format!("could not connect to {address}"))?;
    stream
        .set_read_timeout(Some(Duration::from_millis(SILENCE_LIMIT_MS)))
        .context("could not set the client's time limit")?;
    Ok(stream)
}

/// The bytes of a request with a JSON body.
#[must_use]
pub fn request(method: &str, path: &str, headers: &[(&str, &str)], body: &[u8]) -> Vec<u8> {
    let mut head = format!(
        "{method} {path} HTTP/1.1\r\nHost: receiver\r\nConnection: close\r\n\
         Content-Type: application/json\r\nContent-Length: {}\r\n",
        body.len()
    );
    for (name, value) in headers {
        head.push_str(&format!("{name}: {value}\r\n"));
    }
    head.push_str("\r\n");
    [head.as_bytes(), body].concat()
}

fn is_reset(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::ConnectionReset | io::ErrorKind::BrokenPipe)
}
