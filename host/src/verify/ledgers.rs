//! Ledgers for runs: each begins as a copy of one image, in which the steps' contracts are recorded.
//!
//! Owns the folder. A ledger whose run has ended goes back to the image and serves the next run; one that can't go back, since
//! a faulty host has changed its schema or something still holds it, is thrown away. Fails as [`RunError`].

use crate::clock::Clock;
use crate::clock::sim::SimClock;
use crate::store::Ledger as _;
use crate::store::error::StoreError;
use crate::store::sqlite::{Outlives, SqliteSettings, SqliteStore, WayBack};
use crate::verify::subject::{NAMESPACE, Subject};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use tempfile::TempDir;

/// A ledger's file within its folder.
const FILE: &str = "verify.db";

/// Why a run could not be made.
#[derive(Debug, thiserror::Error)]
pub enum RunError {
    /// There is no folder for its ledger.
    #[error("making a run: there is no folder for its ledger; free disk space, or set TMPDIR")]
    Folder(#[source] std::io::Error),
    /// There is no runtime.
    #[error("making a run: the async runtime can't be started")]
    Runtime(#[source] std::io::Error),
    /// The ledger failed, and no fault explains it.
    #[error("making a run: its ledger failed")]
    Ledger(#[from] StoreError),
}

/// The ledgers of one stage.
pub(super) struct Ledgers {
    idle: Mutex<Vec<Place>>,
    folder: TempDir,
}

/// Where one ledger is.
pub(super) struct Place {
    /// As the last run left it.
    left: Option<SqliteStore>,
    back: WayBack,
    folder: TempDir,
}

impl Place {
    /// The file.
    pub(super) fn path(&self) -> PathBuf {
        self.folder.path().join(FILE)
    }

    /// The ledger that was left, as it began, where that is possible.
    fn begin_again(&mut self, clock: &Arc<SimClock>) -> Result<Option<SqliteStore>, StoreError> {
        let Some(left) = self.left.take() else { return Ok(None) };
        match self.back.go()? {
            true => left.inherited(Arc::clone(clock) as Arc<dyn Clock>),
            false => Ok(None),
        }
    }
}

impl Ledgers {
    /// A folder, and the image in it.
    pub(super) async fn new(subject: &Subject) -> Result<Self, RunError> {
        let folder = tempfile::tempdir().map_err(RunError::Folder)?;
        let image = open(&folder.path().join(FILE), &Arc::default())?;
        for step in &subject.steps {
            image.contract_register(NAMESPACE, step.plugin.contract()).await?;
        }
        // Whoever closes a ledger last leaves all of it in the one file.
        drop(image);
        Ok(Self { idle: Mutex::default(), folder })
    }

    /// A ledger as the image is, with this clock.
    pub(super) fn lend(&self, clock: &Arc<SimClock>) -> Result<(Place, SqliteStore), RunError> {
        let idle = self.lock().pop();
        if let Some(mut place) = idle
            && let Some(store) = place.begin_again(clock)?
        {
            return Ok((place, store));
        }
        let (folder, image) = (tempfile::tempdir_in(&self.folder), self.folder.path().join(FILE));
        let folder = folder.map_err(RunError::Folder)?;
        let path = folder.path().join(FILE);
        std::fs::copy(&image, &path).map_err(RunError::Folder)?;
        let store = open(&path, clock)?;
        Ok((Place { left: None, back: WayBack::new(&path, &image)?, folder }, store))
    }

    /// A run has ended, and left this of its ledger; none where somebody still has it.
    pub(super) fn give_back(&self, place: Place, left: Option<SqliteStore>) {
        self.lock().push(Place { left, ..place });
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, Vec<Place>> {
        self.idle.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn open(path: &Path, clock: &Arc<SimClock>) -> Result<SqliteStore, StoreError> {
    let settings = SqliteSettings { path: path.to_owned(), max_bytes: None };
    SqliteStore::open_to(Outlives::Process, &settings, Arc::clone(clock) as Arc<dyn Clock>)
}
