//! What a step writes to its standard streams: a note a line, under the limit that all notes of a run share.

use crate::runtime::notes::Notes;

/// The longest line that is kept as one note, in bytes. A longer one becomes several: a note is for reading.
const LINE_MAX_BYTES: usize = 4_096;

/// How a note begins that comes from standard error.
pub(in crate::runtime) const STDERR: &str = "stderr: ";

/// The two streams that a step can write to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Output {
    /// Where a program says what it does.
    Stdout,
    /// Where it says what is wrong.
    Stderr,
}

impl Output {
    /// How a note says where it is from.
    const fn mark(self) -> &'static str {
        match self {
            Self::Stdout => "stdout: ",
            Self::Stderr => STDERR,
        }
    }
}

/// What has been written to one of them and is no whole line yet.
#[derive(Debug)]
pub(super) struct Lines {
    output: Output,
    open: Vec<u8>,
}

impl Lines {
    pub(super) const fn of(output: Output) -> Self {
        Self { output, open: Vec::new() }
    }

    /// Write, and note each line that is whole.
    pub(super) fn write(&mut self, mut bytes: &[u8], notes: &mut Notes) {
        while !bytes.is_empty() && !notes.is_cut() {
            let room = LINE_MAX_BYTES - self.open.len();
            match bytes.iter().take(room).position(|byte| *byte == b'\n') {
                Some(end) => {
                    self.open.extend(&bytes[..end]);
                    bytes = &bytes[end + 1..];
                    self.end(notes);
                }
                None => {
                    let taken = room.min(bytes.len());
                    self.open.extend(&bytes[..taken]);
                    bytes = &bytes[taken..];
                    self.fold(notes);
                }
            }
        }
    }

    /// Note what has been written without an end of its line.
    pub(super) fn end(&mut self, notes: &mut Notes) {
        self.note(self.open.len(), notes);
    }

    /// Note a line that is full, up to the last character that is whole.
    fn fold(&mut self, notes: &mut Notes) {
        if self.open.len() < LINE_MAX_BYTES {
            return;
        }
        let whole = match std::str::from_utf8(&self.open) {
            // The last character goes on in what is written next.
            Err(fault) if fault.error_len().is_none() => fault.valid_up_to(),
            // Text, or bytes that are none and may be cut anywhere.
            _ => self.open.len(),
        };
        self.note(whole, notes);
    }

    fn note(&mut self, length: usize, notes: &mut Notes) {
        let line: Vec<u8> = self.open.drain(..length).collect();
        let line = line.strip_suffix(b"\r").unwrap_or(&line);
        // Programs part their messages by empty lines, which say nothing among notes.
        if !line.is_empty() {
            notes.add(format!("{}{}", self.output.mark(), String::from_utf8_lossy(line)));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{LINE_MAX_BYTES, Lines, Output};
    use crate::runtime::notes::Notes;

    /// What is noted of these writes, after the end.
    fn check(writes: &[&[u8]], expected: &[&str]) {
        let mut notes = Notes::new(100_000);
        let mut lines = Lines::of(Output::Stdout);
        for bytes in writes {
            lines.write(bytes, &mut notes);
        }
        lines.end(&mut notes);
        let expected: Vec<String> = expected.iter().map(|line| format!("stdout: {line}")).collect();
        assert_eq!(notes.into_lines(), expected, "{writes:?}");
    }

    #[test]
    fn a_line_is_a_note_however_it_is_written() {
        check(&[b"one\ntwo\n"], &["one", "two"]);
        check(&[b"on", b"e\r\n\n\nt", b"wo"], &["one", "two"]);
        check(&[b"\n", b""], &[]);
        check(&["é".as_bytes().split_at(1).0, "é".as_bytes().split_at(1).1], &["é"]);
        check(&[b"\xff!\n"], &["\u{fffd}!"]);
    }

    #[test]
    fn a_long_line_is_several_notes_of_whole_characters() {
        let line = "é".repeat(LINE_MAX_BYTES);
        let shown: Vec<String> = {
            let mut notes = Notes::new(100_000);
            let mut lines = Lines::of(Output::Stderr);
            lines.write(b"x", &mut notes);
            lines.write(line.as_bytes(), &mut notes);
            lines.end(&mut notes);
            notes.into_lines()
        };
        let text: String = shown.iter().map(|note| note.strip_prefix("stderr: ").unwrap()).collect();
        assert_eq!(text, format!("x{line}"));
        assert!(shown.iter().all(|note| note.len() <= LINE_MAX_BYTES + 8), "{}", shown.len());
        let mut notes = Notes::new(100_000);
        Lines::of(Output::Stdout).write(&[0x80; 3 * LINE_MAX_BYTES], &mut notes);
        assert_eq!(notes.into_lines().len(), 3, "bytes that are no text are cut as well");
    }

    #[test]
    fn what_is_past_the_limit_is_dropped_with_one_mark() {
        let mut notes = Notes::new(50);
        let mut lines = Lines::of(Output::Stdout);
        lines.write("x\n".repeat(1_000_000).as_bytes(), &mut notes);
        lines.end(&mut notes);
        assert_eq!(notes.lines().len(), 6);
        assert_eq!(notes.lines()[5], "notes cut: more than 50 bytes (limits.log_bytes)");
    }
}
