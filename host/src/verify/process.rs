//! One host of a run: alive until a fault kills it. Its doors stand open as long as it lives; at a dead one's they never
//! open again, so that whatever of it is still under way stays where it was.

use crate::runtime::probe::Probe;
use crate::verify::fault::{Door, Fault};
use crate::verify::world::World;
use async_trait::async_trait;
use std::path::Path;
use std::sync::Arc;
use tokio_util::sync::CancellationToken;

/// A host.
pub struct Process {
    world: Arc<World>,
    id: u32,
    /// How many hosts stand still while this one acts.
    depth: u32,
    dead: CancellationToken,
}

impl Process {
    pub(super) fn new(world: Arc<World>, id: u32, depth: u32) -> Self {
        Self { world, id, depth, dead: CancellationToken::new() }
    }

    pub(super) fn world(&self) -> &Arc<World> {
        &self.world
    }

    pub(super) fn depth(&self) -> u32 {
        self.depth
    }

    /// Returns when it is dead.
    pub(super) async fn died(&self) {
        self.dead.cancelled().await;
    }

    /// Pass a point: what the schedule has for it happens here, or is given back, where the door has to do it.
    pub async fn pass(&self, door: Door, what: &str) -> Option<Fault> {
        self.live().await;
        let fault = self.world.reach(self.id, self.depth, door, what)?;
        match fault {
            Fault::DiesBefore => self.die().await,
            Fault::Overtaken => {
                self.rival(true).await;
                None
            }
            Fault::Redelivered => {
                self.rival(false).await;
                None
            }
            fault => Some(fault),
        }
    }

    /// Where the ledger's file is, for hosts that go past its rules.
    #[must_use]
    pub fn ledger_path(&self) -> &Path {
        self.world.path()
    }

    /// Another host does all that it finds to do, after every lease has ended or at once.
    pub(super) async fn rival(&self, leases_end: bool) {
        if leases_end {
            self.world.end_leases();
        }
        self.world.live(self.depth + 1, leases_end).await;
    }

    /// Die here.
    pub(super) async fn die<T>(&self) -> T {
        self.dead.cancel();
        std::future::pending().await
    }

    /// Go on only if it is not dead.
    pub(super) async fn live(&self) {
        if self.dead.is_cancelled() {
            std::future::pending::<()>().await;
        }
    }
}

#[async_trait]
impl Probe for Process {
    async fn host_call(&self, function: &'static str) {
        self.pass(Door::Step, function).await;
    }
}
