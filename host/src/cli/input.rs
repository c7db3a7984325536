//! What commands read: a file, or standard input.

use crate::identity::event::EVENT_LIMIT_BYTES;
use anyhow::{Context as _, Result};
use std::fs::File;
use std::io::Read as _;
use std::path::Path;

/// Read a file, or standard input where the path is `-`, and no more of it than an event may have; with where it came from.
/// `what` is it for the error.
pub(super) fn bytes(path: &Path, what: &str) -> Result<(Vec<u8>, String)> {
    let limit_bytes = EVENT_LIMIT_BYTES as u64 + 1;
    let mut bytes = Vec::new();
    if path.as_os_str() == "-" {
        std::io::stdin()
            .lock()
            .take(limit_bytes)
            .read_to_end(&mut bytes)
            .with_context(|| format!("reading {what} from standard input: it can't be read"))?;
        return Ok((bytes, "standard input".to_owned()));
    }
    File::open(path)
        .and_then(|file| file.take(limit_bytes).read_to_end(&mut bytes))
        .with_context(|| format!("reading {what} {}: the file can't be read", path.display()))?;
    Ok((bytes, path.display().to_string()))
}
