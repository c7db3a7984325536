//! Components that are not the same byte for byte when they are built again.
//!
//! Owns when one is made: where it is not there, or was made of something else. A new digest is a new step, so that one stands until then.

use anyhow::Context;
use std::path::Path;

/// Make a component, unless it was made of just this. `mark` keeps what it was made of.
pub(crate) fn unless_made_of(
    inputs: &[u8],
    component: &Path,
    mark: &Path,
    make: impl FnOnce() -> anyhow::Result<()>,
) -> anyhow::Result<()> {
    if component.is_file() && std::fs::read(mark).ok().as_deref() == Some(inputs) {
        return Ok(());
    }
    make()?;
    std::fs::write(mark, inputs).with_context(|| format!("writing {}", mark.display()))
}

#[cfg(test)]
mod tests {
    use super::unless_made_of;
    use std::cell::Cell;

    #[test]
    fn a_component_is_made_where_it_is_missing_or_was_made_of_something_else() {
        let dir = std::env::temp_dir().join(format!("onceward-made-of-{}", std::process::id()));
        std::fs::create_dir_all(&dir).expect("the temporary directory is writable");
        let (component, mark, made) = (dir.join("a.wasm"), dir.join("a.inputs"), Cell::new(0));
        let make = |inputs: &str| {
            unless_made_of(inputs.as_bytes(), &component, &mark, || {
                made.set(made.get() + 1);
                Ok(std::fs::write(&component, inputs)?)
            })
            .expect("it can be made");
            made.get()
        };
        assert_eq!([make("1"), make("1"), make("2"), make("2")], [1, 1, 2, 2]);
        std::fs::remove_file(&component).expect("it is there");
        assert_eq!(make("2"), 3);
        std::fs::remove_dir_all(&dir).expect("removable");
    }
}
