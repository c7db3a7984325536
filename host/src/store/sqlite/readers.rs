//! Readers: connections of their own, so that reading never waits for the writer.

use crate::store::error::StoreError;
use crate::store::sqlite::open;
use rusqlite::Connection;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use tokio::sync::Semaphore;

/// Connections that may read at once. Each read is short, so that checkpoints go forward.
const READERS_MAX: usize = 4;

/// The connections that are free.
pub(super) struct Readers {
    path: PathBuf,
    free: Arc<Mutex<Vec<Connection>>>,
    places: Arc<Semaphore>,
    /// Whether each caller reads in its own thread.
    here: bool,
}

impl Readers {
    pub(super) fn new(path: PathBuf) -> Self {
        Self { path, free: Arc::default(), places: Arc::new(Semaphore::new(READERS_MAX)), here: false }
    }

    /// Readers of simulated hosts, where nobody else is held up by a read.
    pub(super) fn here(path: PathBuf) -> Self {
        Self { here: true, ..Self::new(path) }
    }

    /// The file.
    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    /// Run a query on a free connection, off the async threads unless the store is a simulated host's.
    pub(super) async fn read<T, F>(&self, run: F) -> Result<T, StoreError>
    where
        T: Send + 'static,
        F: FnOnce(&Connection) -> Result<T, StoreError> + Send + 'static,
    {
        let place = Arc::clone(&self.places).acquire_owned().await.map_err(|_| StoreError::Stopped)?;
        let (free, path) = (Arc::clone(&self.free), self.path.clone());
        let reading = move || {
            let _place = place;
            let idle = free.lock().unwrap_or_else(PoisonError::into_inner).pop();
            let connection = idle.map_or_else(|| open::readable(&path), Ok)?;
            let answer = run(&connection);
            free.lock().unwrap_or_else(PoisonError::into_inner).push(connection);
            answer
        };
        if self.here {
            return reading();
        }
        tokio::task::spawn_blocking(reading).await.map_err(|_| StoreError::Stopped)?
    }
}
