//! A disk that fails: a library that is preloaded (`disk_fails.c`), and makes the calls of a process fail on demand, since
//! what happens then must not be pretended.

use std::path::{Path, PathBuf};
use std::process::Command;

/// Names the file that makes calls fail, to the library and to whoever writes the file.
pub(crate) const FLAG: &str = "DISK_FAILS";

/// Every fsync of the log fails, in the library's words.
pub(crate) const FSYNC: &str = "sync EIO onceward.db-wal";

/// Every write into the log fails.
pub(crate) const WRITE: &str = "write EIO onceward.db-wal";

/// A process that has the library, and the file that makes its calls fail.
pub(crate) struct FailingDisk {
    library: PathBuf,
    flag: PathBuf,
}

impl FailingDisk {
    /// Build it in this folder; none, and a loud word, where there is no compiler.
    pub(crate) fn build(folder: &Path) -> Option<Self> {
        let library = folder.join("disk_fails.so");
        let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("it/disk_fails.c");
        let built = Command::new("cc").args(["-shared", "-fPIC", "-o"]).arg(&library).arg(source).output();
        match built {
            Ok(output) if output.status.success() => Some(Self { library, flag: folder.join("flag") }),
            Ok(output) => panic!("the library is not compiled: {}", String::from_utf8_lossy(&output.stderr)),
            Err(error) => {
                eprintln!("SKIPPED: there is no C compiler here, so no disk can be made to fail: {error}");
                None
            }
        }
    }

    /// Let this process have such a disk.
    pub(crate) fn under(&self, command: &mut Command) {
        command.env("LD_PRELOAD", &self.library).env(FLAG, &self.flag);
    }

    /// From now on these calls fail, as `disk_fails.c` explains them: `write EIO onceward.db-wal`.
    pub(crate) fn fail(&self, calls: &str) {
        // In one go: the process reads it all the time.
        let next = self.flag.with_extension("next");
        std::fs::write(&next, calls).expect("the flag can be written");
        std::fs::rename(next, &self.flag).expect("the flag can be renamed");
    }

    /// From now on all is well again.
    pub(crate) fn mend(&self) {
        std::fs::remove_file(&self.flag).expect("the flag is there");
    }
}
