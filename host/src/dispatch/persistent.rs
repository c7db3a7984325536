//! A future that comes to its end whether anybody waits for it or not.
//!
//! It is polled by whoever waits for it, which saves a task of its own and the waking of another thread. Dropped before its end,
//! it goes on in a task. It refuses nothing; outside a runtime there is nobody to go on with it, and it ends there.

use std::pin::Pin;
use std::task::{Context, Poll};
use tokio::runtime::Handle;

/// A future that goes on when it is dropped.
pub(crate) struct Persistent<T: Send + 'static> {
    /// None once it has ended, and while it is polled: what has panicked is not polled again.
    rest: Option<Pin<Box<dyn Future<Output = T> + Send>>>,
}

impl<T: Send + 'static> Persistent<T> {
    /// Nothing of it happens before it is polled or dropped.
    pub(crate) fn new(future: impl Future<Output = T> + Send + 'static) -> Self {
        Self { rest: Some(Box::pin(future)) }
    }
}

impl<T: Send + 'static> Future for Persistent<T> {
    type Output = T;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<T> {
        let mut rest = self.rest.take().expect("it is not polled after its end");
        let polled = rest.as_mut().poll(context);
        if polled.is_pending() {
            self.rest = Some(rest);
        }
        polled
    }
}

impl<T: Send + 'static> Drop for Persistent<T> {
    fn drop(&mut self) {
        if let (Some(rest), Ok(runtime)) = (self.rest.take(), Handle::try_current()) {
            runtime.spawn(rest);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Persistent;
    use tokio::sync::oneshot;

    /// A future that waits for a word and hands it on, and the ends of both.
    fn echo() -> (Persistent<()>, oneshot::Sender<u8>, oneshot::Receiver<u8>) {
        let (say, said) = oneshot::channel();
        let (answer, heard) = oneshot::channel();
        let echo = async move { answer.send(said.await.unwrap_or(0)).unwrap_or(()) };
        (Persistent::new(echo), say, heard)
    }

    #[tokio::test]
    async fn what_is_waited_for_is_done_by_whoever_waits() {
        assert_eq!(Persistent::new(async { 7 }).await, 7);
    }

    #[tokio::test]
    async fn what_nobody_waits_for_goes_on() {
        for begun in [false, true] {
            let (mut waiting, say, heard) = echo();
            if begun {
                let polled = is_pending(&mut waiting).await;
                assert!(polled, "it waits for the word");
            }
            drop(waiting);
            say.send(7).unwrap();
            assert_eq!(heard.await, Ok(7), "{begun}");
        }
    }

    /// Poll once; whether there is more to wait for.
    async fn is_pending(waiting: &mut Persistent<()>) -> bool {
        std::future::poll_fn(|context| {
            std::task::Poll::Ready(std::pin::Pin::new(&mut *waiting).poll(context).is_pending())
        })
        .await
    }
}
