//! Notes of one run for people, as many as the operator lets it have.

/// The notes, and the room that is left for more.
#[derive(Debug)]
pub(super) struct Notes {
    lines: Vec<String>,
    limit_bytes: u64,
    left_bytes: u64,
    is_cut: bool,
}

impl Notes {
    pub(super) const fn new(limit_bytes: u64) -> Self {
        Self { lines: Vec::new(), limit_bytes, left_bytes: limit_bytes, is_cut: false }
    }

    /// Keep a note within the limit. The first one past it leaves a mark, and no more are kept.
    pub(super) fn add(&mut self, text: String) {
        if self.is_cut {
            return;
        }
        match self.left_bytes.checked_sub(text.len() as u64) {
            Some(left) => {
                self.left_bytes = left;
                self.lines.push(text);
            }
            None => {
                self.is_cut = true;
                self.lines
                    .push(format!("notes cut: more than {} bytes (limits.log_bytes)", self.limit_bytes));
            }
        }
    }

    /// Whether a note was past the limit, so that none is kept any more.
    pub(super) const fn is_cut(&self) -> bool {
        self.is_cut
    }

    /// The notes in their order.
    pub(super) fn lines(&self) -> &[String] {
        &self.lines
    }

    /// Take the notes.
    pub(super) fn into_lines(self) -> Vec<String> {
        self.lines
    }
}
