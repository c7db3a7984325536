//! The TCP side of the receiver: a listener whose connections can be cut by a handler.
//!
//! Owns one rule: after a handler has set a [`Cut`], no byte beyond it reaches the client, and the
//! connection is closed. The HTTP library above knows nothing of it; it sees a failed write, as it
//! would if the client had gone. It fails like the socket it wraps.

use std::io;
use std::net::SocketAddr;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::Mutex;
use std::sync::PoisonError;
use std::task::Context;
use std::task::Poll;
use std::time::Duration;

use axum::extract::connect_info::Connected;
use axum::serve::IncomingStream;
use axum::serve::Listener;
use tokio::io::AsyncRead;
use tokio::io::AsyncWrite;
use tokio::io::ReadBuf;
use tokio::net::TcpListener;
use tokio::net::TcpStream;

/// The pause after a failed accept, such as one for want of file descriptors: long enough not to
/// spin, short enough not to show in a test.
const ACCEPT_PAUSE_MS: u64 = 20;

/// Where a connection breaks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Cut {
    /// Closed before one byte of the answer.
    BeforeReply,
    /// Closed after the head of the answer and this many bytes of its body.
    InBody {
        /// How much of the body still gets through.
        sent_bytes: usize,
    },
    /// Reset (a TCP RST, not an orderly close) before one byte of the answer.
    Reset,
}

/// A handler's hold on its own connection.
#[derive(Clone, Debug, Default)]
pub(super) struct Fuse(Arc<Mutex<Option<Cut>>>);

impl Fuse {
    /// Breaks the connection at the answer that is sent next.
    pub(super) fn blow(&self, cut: Cut) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = Some(cut);
    }

    fn cut(&self) -> Option<Cut> {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Connected<IncomingStream<'_, Door>> for Fuse {
    fn connect_info(stream: IncomingStream<'_, Door>) -> Self {
        stream.io().fuse.clone()
    }
}

/// The listening socket.
pub(super) struct Door(pub(super) TcpListener);

impl Listener for Door {
    type Io = Wire;
    type Addr = SocketAddr;

    async fn accept(&mut self) -> (Wire, SocketAddr) {
        loop {
            match self.0.accept().await {
                Ok((stream, address)) => return (Wire::new(stream), address),
                Err(_) => super::wait(Duration::from_millis(ACCEPT_PAUSE_MS)).await,
            }
        }
    }

    fn local_addr(&self) -> io::Result<SocketAddr> {
        self.0.local_addr()
    }
}

/// One connection.
pub(super) struct Wire {
    stream: TcpStream,
    fuse: Fuse,
    /// How many bytes may still be written, once the cut's place is known.
    left_bytes: Option<usize>,
}

impl Wire {
    fn new(stream: TcpStream) -> Self {
        // Without it a small answer may wait for the client's acknowledgement; where it can't be
        // had the answers are only slower.
        let _ = stream.set_nodelay(true);
        Self { stream, fuse: Fuse::default(), left_bytes: None }
    }

    /// How much of this buffer may still go out; `None` means all of it.
    fn allowance(&mut self, buffer: &[u8]) -> io::Result<Option<usize>> {
        if let Some(cut) = self.fuse.cut()
            && self.left_bytes.is_none()
        {
            self.left_bytes = Some(match cut {
                Cut::BeforeReply => 0,
                Cut::Reset => {
                    self.stream.set_zero_linger()?;
                    0
                }
                // The HTTP library writes the head as one piece, so its end is in the first buffer.
                Cut::InBody { sent_bytes } => {
                    head_bytes(buffer).map_or(0, |head| head.saturating_add(sent_bytes))
                }
            });
        }
        match self.left_bytes {
            Some(0) => {
                Err(io::Error::new(io::ErrorKind::BrokenPipe, "the connection is cut on a test's order"))
            }
            left => Ok(left),
        }
    }
}

/// The length of an HTTP head, its empty line included.
fn head_bytes(buffer: &[u8]) -> Option<usize> {
    const END: &[u8] = b"\r\n\r\n";
    buffer.windows(END.len()).position(|window| window == END).map(|at| at + END.len())
}

impl AsyncRead for Wire {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_read(context, buffer)
    }
}

impl AsyncWrite for Wire {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &[u8],
    ) -> Poll<io::Result<usize>> {
        let Some(left) = self.allowance(buffer)? else {
            return Pin::new(&mut self.stream).poll_write(context, buffer);
        };
        let piece = &buffer[..buffer.len().min(left)];
        let result = Pin::new(&mut self.stream).poll_write(context, piece);
        if let Poll::Ready(Ok(written)) = result {
            self.left_bytes = Some(left - written);
        }
        result
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(context)
    }
}
