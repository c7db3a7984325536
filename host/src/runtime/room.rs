//! Room for runs: so many places, and before them a queue of callers that is bounded too.
//!
//! Whoever comes when the queue is full is told so at once: a caller that waits holds its event in memory, its claim and
//! its connection. A worker stands in no queue; what it would run waits in the ledger.

use std::sync::Arc;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

/// Callers that may wait where nobody says otherwise. With the largest events they hold 256 MiB.
pub const QUEUE_DEFAULT: u32 = 256;

/// The places and the queue.
#[derive(Debug)]
pub(super) struct Rooms {
    places: Arc<Semaphore>,
    queue: Arc<Semaphore>,
    queue_max: u32,
}

/// Room for one instance. It is given back when this is dropped.
#[derive(Debug)]
#[must_use = "a place that is dropped is free again"]
pub struct Place(#[expect(dead_code, reason = "it is held, and never looked at")] OwnedSemaphorePermit);

/// Where a caller stands in the queue. It is left when this is dropped.
#[derive(Debug)]
#[must_use = "who drops it has left the queue"]
pub struct Spot {
    places: Arc<Semaphore>,
    _queued: OwnedSemaphorePermit,
}

/// What a run has until it begins.
#[derive(Debug)]
pub enum Room {
    /// A place.
    Place(Place),
    /// A spot in the queue.
    Spot(Spot),
}

impl Rooms {
    pub(super) fn new(places: u32, queue_max: u32) -> Self {
        let semaphore = |permits: u32| Arc::new(Semaphore::new(permits as usize));
        Self { places: semaphore(places), queue: semaphore(queue_max), queue_max }
    }

    pub(super) fn queued(&mut self, queue_max: u32) {
        *self = Self { places: Arc::clone(&self.places), ..Self::new(0, queue_max) };
    }

    pub(super) const fn queue_max(&self) -> u32 {
        self.queue_max
    }

    pub(super) async fn place(&self) -> Place {
        place(&self.places).await
    }

    pub(super) fn free_place(&self) -> Option<Place> {
        Arc::clone(&self.places).try_acquire_owned().ok().map(Place)
    }

    pub(super) fn spot(&self) -> Option<Spot> {
        let queued = Arc::clone(&self.queue).try_acquire_owned().ok()?;
        Some(Spot { places: Arc::clone(&self.places), _queued: queued })
    }
}

impl Room {
    /// Wait for the place, and leave the queue for it.
    pub async fn place(self) -> Place {
        match self {
            Self::Place(place) => place,
            Self::Spot(spot) => place(&spot.places).await,
        }
    }
}

async fn place(places: &Arc<Semaphore>) -> Place {
    Place(Arc::clone(places).acquire_owned().await.expect("the semaphore is never closed"))
}

#[cfg(test)]
mod tests {
    use super::{Room, Rooms};
    use std::task::{Context, Waker};

    #[tokio::test]
    async fn the_queue_is_bounded_and_left_for_a_place() {
        let rooms = Rooms::new(1, 1);
        let running = Room::Spot(rooms.spot().expect("nobody waits")).place().await;
        let mut waiting = Box::pin(Room::Spot(rooms.spot().expect("who runs has left the queue")).place());
        assert!(waiting.as_mut().poll(&mut Context::from_waker(Waker::noop())).is_pending());
        assert!(rooms.spot().is_none(), "one waits, and no more may");
        drop(running);
        let _running = waiting.await;
        assert!(rooms.spot().is_some() && rooms.free_place().is_none());
    }
}
