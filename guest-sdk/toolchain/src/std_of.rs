//! Whether a compiler has std for the target.

use crate::TARGET;
use crate::ToolchainError;
use crate::program::output;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The libraries that make a std usable for guests; the others come with them.
const STD_PARTS: [&str; 5] = ["core", "alloc", "std", "panic_abort", "compiler_builtins"];

/// Where this compiler looks for the target's std, whether or not it is there.
///
/// # Errors
/// [`ToolchainError::Ask`], where there is no such compiler, or it does not know the target.
pub fn target_libdir(rustc: &Path) -> Result<PathBuf, ToolchainError> {
    let mut command = Command::new(rustc);
    command.args(["--print", "target-libdir", "--target", TARGET]);
    Ok(PathBuf::from(output(&mut command).map_err(ToolchainError::Ask)?.trim()))
}

/// Whether the directory holds a std that is whole. Two of a part are an error.
///
/// # Errors
/// [`ToolchainError`], where it can't be listed, or two are mixed in it.
pub fn has_std(libdir: &Path) -> Result<bool, ToolchainError> {
    let list = |source| ToolchainError::List { dir: libdir.to_owned(), source };
    let mut counts = [0_u32; STD_PARTS.len()];
    let entries = match std::fs::read_dir(libdir) {
        Ok(entries) => entries,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(false),
        Err(error) => return Err(list(error)),
    };
    for entry in entries {
        let name = entry.map_err(list)?.file_name();
        let part = name.to_str().and_then(part_of);
        if let Some(at) = STD_PARTS.iter().position(|known| Some(*known) == part) {
            counts[at] += 1;
        }
    }
    if let Some(at) = counts.iter().position(|count| *count > 1) {
        let (part, count) = (STD_PARTS[at], counts[at]);
        return Err(ToolchainError::Mixed { dir: libdir.to_owned(), part, count });
    }
    Ok(counts.iter().all(|count| *count == 1))
}

/// `core` of `libcore-<hash>.rlib`.
fn part_of(file_name: &str) -> Option<&str> {
    file_name.strip_prefix("lib")?.strip_suffix(".rlib")?.rsplit_once('-').map(|(part, _)| part)
}

#[cfg(test)]
mod tests {
    use super::STD_PARTS;
    use super::has_std;
    use super::part_of;

    #[test]
    fn a_part_is_known_by_its_name_before_the_hash() {
        for (name, part) in [
            ("libcore-0a1b.rlib", Some("core")),
            ("libpanic_abort-0a1b.rlib", Some("panic_abort")),
            ("libcore-0a1b.rmeta", None),
            ("libcore.rlib", None),
            (".new-libcore-0a1b.rlib", None),
        ] {
            assert_eq!(part_of(name), part, "{name}");
        }
    }

    #[test]
    fn a_std_is_whole_or_missing_or_mixed() {
        let dir = std::env::temp_dir().join(format!("onceward-has-std-{}", std::process::id()));
        assert!(!has_std(&dir).expect("a missing directory is an answer"));
        std::fs::create_dir_all(&dir).expect("the temporary directory is writable");
        for part in STD_PARTS {
            assert!(!has_std(&dir).expect("readable"), "{part} is still missing");
            std::fs::write(dir.join(format!("lib{part}-1.rlib")), "").expect("writable");
        }
        assert!(has_std(&dir).expect("readable"));
        std::fs::write(dir.join("libcore-2.rlib"), "").expect("writable");
        let told = has_std(&dir).expect_err("two of a part").to_string();
        assert!(told.contains("2 of libcore") && told.contains("remove"), "{told}");
        std::fs::remove_dir_all(&dir).expect("removable");
    }
}
