//! A provider of models over real HTTP, in the OpenAI way, that counts and goes wrong on demand.
//!
//! Owns the providing side of the claim "one decision": it never says the same twice unless it is told to, keeps every
//! question with the key that came along, and plays one [`Mode`] for each call in the order in which they were ordered. It
//! knows nothing of the system it proves. It stops when it is dropped.

mod http;
pub mod mode;

use crate::model_server::http::Provider;
use crate::model_server::mode::Mode;
use anyhow::Context as _;
use serde_json::Value;
use std::net::{Ipv4Addr, SocketAddr, TcpListener};
use std::sync::Arc;
use std::thread::JoinHandle;
use tokio::sync::Notify;

/// Tokens of every question, as the provider counts them.
pub const TOKENS_IN: u64 = 120;

/// Tokens of every answer.
pub const TOKENS_OUT: u64 = 30;

/// A question that came.
#[derive(Clone, Debug)]
pub struct Heard {
    /// The `Authorization` header.
    pub authorization: Option<String>,
    /// The body.
    pub body: Value,
}

/// A running provider inside this process, on a thread of its own.
#[derive(Debug)]
pub struct ModelServer {
    address: SocketAddr,
    provider: Arc<Provider>,
    stop: Arc<Notify>,
    thread: Option<JoinHandle<anyhow::Result<()>>>,
}

impl ModelServer {
    /// Start on any free port of 127.0.0.1. It accepts when this returns.
    ///
    /// # Errors
    /// Where no port is free.
    pub fn start() -> anyhow::Result<Self> {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).context("listening on 127.0.0.1")?;
        listener.set_nonblocking(true).context("preparing the listening socket")?;
        let address = listener.local_addr().context("asking for the listening socket's port")?;
        let (provider, stop) = (Arc::<Provider>::default(), Arc::new(Notify::new()));
        let (serving, until) = (Arc::clone(&provider), Arc::clone(&stop));
        let thread = std::thread::Builder::new()
            .name("model-server".to_owned())
            .spawn(move || serve(listener, serving, &until))
            .context("starting the provider's thread")?;
        Ok(Self { address, provider, stop, thread: Some(thread) })
    }

    /// The base address, as a configuration has it.
    #[must_use]
    pub fn base_url(&self) -> String {
        format!("http://{}/v1", self.address)
    }

    /// What the next calls meet, one each, behind what was ordered before. Other calls are answered.
    ///
    /// # Errors
    /// Where a word is no mode; then none of them is ordered.
    pub fn order(&self, words: &[&str]) -> anyhow::Result<()> {
        let modes = words.iter().map(|word| Mode::parse(word)).collect::<anyhow::Result<Vec<_>>>()?;
        self.provider.order(modes);
        Ok(())
    }

    /// What it answers from now on; `{n}` becomes the number of the call.
    pub fn answer(&self, template: &str) {
        self.provider.answer(template);
    }

    /// The questions so far, in order.
    #[must_use]
    pub fn heard(&self) -> Vec<Heard> {
        self.provider.heard()
    }

    /// How often it was asked.
    #[must_use]
    pub fn calls(&self) -> usize {
        self.provider.heard().len()
    }
}

impl Drop for ModelServer {
    fn drop(&mut self) {
        self.stop.notify_one();
        if let Some(thread) = self.thread.take() {
            // A provider that failed has failed the test that asked it already.
            let _ = thread.join();
        }
    }
}

fn serve(listener: TcpListener, provider: Arc<Provider>, stop: &Notify) -> anyhow::Result<()> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    runtime.block_on(async {
        let listener = tokio::net::TcpListener::from_std(listener)?;
        tokio::select! {
            served = axum::serve(listener, http::routes(provider)) => served.context("serving"),
            () = stop.notified() => Ok(()),
        }
    })
}
