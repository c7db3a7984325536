//! Where compiled components are kept between the commands that have no configuration: `build`, `check`, `dev`, and `verify` of a file.

use std::path::PathBuf;

/// The user's cache folder for them, by the XDG Base Directory Specification; none where it can't be made, and then each command compiles
/// for itself. A component that carries Python takes ten seconds to compile.
pub(super) fn cache_dir() -> Option<PathBuf> {
    let set = |name: &str| std::env::var_os(name).map(PathBuf::from).filter(|path| path.is_absolute());
    let caches = set("XDG_CACHE_HOME").or_else(|| Some(set("HOME")?.join(".cache")))?;
    let dir = caches.join("onceward/compiled");
    std::fs::create_dir_all(&dir).ok()?;
    Some(dir)
}
