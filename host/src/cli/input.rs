//! What a command reads: a file, or standard input for `-`, and no more of it than it may have.

use anyhow::{Context as _, Result, bail};
use std::fs::File;
use std::io::Read as _;
use std::path::Path;

/// At most so many bytes, and a name for where they came from. `what` stands in the errors.
pub(super) fn bytes(what: &str, path: &Path, limit_bytes: u64) -> Result<(String, Vec<u8>)> {
    let mut bytes = Vec::new();
    if path.as_os_str() == "-" {
        std::io::stdin()
            .lock()
            .take(limit_bytes)
            .read_to_end(&mut bytes)
            .with_context(|| format!("reading {what} from standard input: it can't be read"))?;
        return Ok(("standard input".to_owned(), bytes));
    }
    File::open(path)
        .and_then(|file| file.take(limit_bytes).read_to_end(&mut bytes))
        .with_context(|| format!("reading {what} {}: the file can't be read", path.display()))?;
    Ok((path.display().to_string(), bytes))
}

/// The whole text, which must be UTF-8 and within the limit.
pub(super) fn text(what: &str, path: &Path, limit_bytes: u64) -> Result<String> {
    let (name, bytes) = bytes(what, path, limit_bytes.saturating_add(1))?;
    if bytes.len() as u64 > limit_bytes {
        bail!("reading {what} from {name}: it is longer than {limit_bytes} bytes");
    }
    String::from_utf8(bytes).with_context(|| format!("reading {what} from {name}: it is not UTF-8"))
}
