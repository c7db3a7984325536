//! How far a run has come.
//!
//! It owns what is carried from one chunk to the next. It refuses a cursor that it did not write.

use onceward_guest::Failure;
use onceward_guest::progress;
use serde::Deserialize;
use serde::Serialize;

/// Where the next chunk begins, and what has been counted until there.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize, Serialize)]
pub struct Cursor {
    /// Listings that have been looked at.
    pub listings: usize,
    /// Of those, the ones that this run passed on.
    pub new: usize,
    /// Of those, the ones that had been passed on before.
    pub known: usize,
    /// Of those, the ones without a usable address.
    pub left_out: usize,
}

impl Cursor {
    /// Where the run stands; at the beginning in its first chunk.
    pub(crate) fn load() -> Result<Self, Failure> {
        progress::load_cursor().map_or(Ok(Self::default()), |text| Self::read(&text))
    }

    fn read(text: &str) -> Result<Self, Failure> {
        serde_json::from_str(text)
            .map_err(|error| Failure::review(format!("going on from a cursor: it can't be read: {error}")))
    }

    /// The cursor for the next chunk.
    pub(crate) fn write(self) -> Result<String, Failure> {
        serde_json::to_string(&self)
            .map_err(|error| Failure::review(format!("writing the cursor: it is no JSON: {error}")))
    }
}

#[cfg(test)]
mod tests {
    use super::Cursor;

    #[test]
    fn a_cursor_is_read_as_it_was_written_and_another_text_is_refused() {
        let cursor = Cursor { listings: 300, new: 290, known: 9, left_out: 1 };
        let text = cursor.write().unwrap_or_default();
        assert_eq!(Cursor::read(&text), Ok(cursor));
        assert!(Cursor::read("300").is_err());
    }
}
