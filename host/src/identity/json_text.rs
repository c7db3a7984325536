//! JSON text: the strict reader that stands between the wire and every identity.
//!
//! Owns the grammar of RFC 8259 and what it leaves open. It refuses, rather than guesses: duplicate members
//! at any depth, lone surrogates, integers beyond 64 bits, numbers too large for a double, and nesting beyond
//! [`NESTING_LIMIT_LEVELS`]. It accepts U+0000 and normalises no Unicode. How many bytes may come is its
//! caller's limit.
//!
//! Why not `serde_json`'s reader: it keeps the last of two members, gives a rounded float for a large integer
//! literal without saying so, and can round a decimal to a neighbour of the nearest double, so two spellings
//! of one number could part.
//!
//! It fails with a [`JsonError`] that says where: line and column for malformed text, a JSON Pointer for what
//! is well formed but has no single meaning.

use serde_json::Map;
use serde_json::Number;
use serde_json::Value;

use crate::identity::json_number::NumberRefusal;
use crate::identity::json_number::read_number;
use crate::identity::pointer::push_token;

/// How many arrays and objects may be open at once.
///
/// Deep enough for any payload seen in the field, shallow enough that walking a value by recursion can't
/// exhaust a stack.
pub const NESTING_LIMIT_LEVELS: usize = 128;

/// How much of a refused number an error shows, since a hostile one can be a megabyte long.
const SHOWN_LITERAL_LIMIT_CHARACTERS: usize = 40;

/// Why a text was not read as JSON.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum JsonError {
    /// The text breaks the grammar of RFC 8259.
    #[error("read JSON at line {line}, column {column}: {problem}; correct the text there")]
    Syntax {
        /// Line, counted from 1.
        line: usize,
        /// Column in characters, counted from 1.
        column: usize,
        /// What was expected or found.
        problem: &'static str,
    },
    /// An object has two members of one name.
    #[error(
        "read JSON: the member `{pointer}` occurs twice, and no reader may choose between them; send it once"
    )]
    DuplicateMember {
        /// JSON Pointer (RFC 6901) of the member.
        pointer: String,
    },
    /// A `\u` escape is half of a surrogate pair.
    #[error(
        "read JSON at line {line}, column {column}: the escape is half of a surrogate pair \
         and is no character; send both halves or U+FFFD"
    )]
    LoneSurrogate {
        /// Line, counted from 1.
        line: usize,
        /// Column in characters, counted from 1.
        column: usize,
    },
    /// A number is a whole number that 64 bits can't hold, and that JSON's doubles would round.
    #[error(
        "read JSON: the integer {literal} at `{pointer}` does not fit 64 bits and would be rounded; \
         send it as a string"
    )]
    IntegerTooLarge {
        /// JSON Pointer of the number.
        pointer: String,
        /// The beginning of the number as it was written.
        literal: String,
    },
    /// A number is larger than the largest double.
    #[error("read JSON: the number {literal} at `{pointer}` is too large for a double; send it as a string")]
    NumberTooLarge {
        /// JSON Pointer of the number.
        pointer: String,
        /// The beginning of the number as it was written.
        literal: String,
    },
    /// More than [`NESTING_LIMIT_LEVELS`] arrays and objects are open at once.
    #[error(
        "read JSON at line {line}, column {column}: more than 128 arrays and objects are open; \
             send a flatter value, or the inner one as a string"
    )]
    TooDeep {
        /// Line, counted from 1.
        line: usize,
        /// Column in characters, counted from 1.
        column: usize,
    },
}

impl JsonError {
    /// The stable name of the refusal, as the shared vectors write it.
    pub const fn code(&self) -> &'static str {
        match self {
            Self::Syntax { .. } => "syntax",
            Self::DuplicateMember { .. } => "duplicate-member",
            Self::LoneSurrogate { .. } => "lone-surrogate",
            Self::IntegerTooLarge { .. } => "integer-too-large",
            Self::NumberTooLarge { .. } => "number-too-large",
            Self::TooDeep { .. } => "too-deep",
        }
    }
}

/// Reads exactly one JSON value.
///
/// A whole number keeps its exact value however it is spelled (`1`, `1.0` and `10e-1` are one integer, `-0`
/// is `0`). Any other number becomes the nearest double, as in ECMAScript; one too small for a double is `0`.
///
/// ```
/// use onceward::identity::json_text::parse;
///
/// assert_eq!(parse("[1.0, -0]")?, serde_json::json!([1, 0]));
/// assert_eq!(parse(r#"{"a": {"b": 1, "b": 1}}"#).unwrap_err().code(), "duplicate-member");
/// # Ok::<(), onceward::identity::json_text::JsonError>(())
/// ```
///
/// # Errors
/// [`JsonError`] says what was refused and where.
pub fn parse(text: &str) -> Result<Value, JsonError> {
    let mut reader = Reader { text, at: 0, path: Vec::new() };
    reader.skip_space();
    let value = reader.value()?;
    if reader.peek().is_some() {
        return Err(reader.syntax("there is something after the value"));
    }
    Ok(value)
}

/// Line and column, in characters and counted from 1, of the place just after `before`.
pub(crate) fn line_and_column(before: &str) -> (usize, usize) {
    let line = before.matches('\n').count() + 1;
    let column = before.rsplit('\n').next().unwrap_or_default().chars().count() + 1;
    (line, column)
}

enum Token {
    Name(String),
    Index(usize),
}

struct Reader<'a> {
    text: &'a str,
    at: usize,
    path: Vec<Token>,
}

impl Reader<'_> {
    fn peek(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    fn skip_space(&mut self) {
        while matches!(self.peek(), Some(b' ' | b'\t' | b'\n' | b'\r')) {
            self.at += 1;
        }
    }

    /// Steps over one punctuation mark and the space after it.
    fn take(&mut self, mark: u8) -> bool {
        let found = self.peek() == Some(mark);
        if found {
            self.at += 1;
            self.skip_space();
        }
        found
    }

    fn place(&self) -> (usize, usize) {
        line_and_column(&self.text[..self.at])
    }

    fn pointer(&self) -> String {
        let mut pointer = String::new();
        for token in &self.path {
            match token {
                Token::Name(name) => push_token(&mut pointer, name),
                Token::Index(index) => push_token(&mut pointer, &index.to_string()),
            }
        }
        pointer
    }

    fn syntax(&self, problem: &'static str) -> JsonError {
        let (line, column) = self.place();
        let problem = if self.peek().is_none() { "the text ends too early" } else { problem };
        JsonError::Syntax { line, column, problem }
    }

    fn value(&mut self) -> Result<Value, JsonError> {
        let value = match self.peek() {
            Some(b'{') => Value::Object(self.object()?),
            Some(b'[') => Value::Array(self.array()?),
            Some(b'"') => Value::String(self.string()?),
            Some(b'-' | b'0'..=b'9') => Value::Number(self.number()?),
            _ => self.literal()?,
        };
        self.skip_space();
        Ok(value)
    }

    fn literal(&mut self) -> Result<Value, JsonError> {
        for (word, value) in
            [("null", Value::Null), ("true", Value::Bool(true)), ("false", Value::Bool(false))]
        {
            if self.text.as_bytes()[self.at..].starts_with(word.as_bytes()) {
                self.at += word.len();
                return Ok(value);
            }
        }
        Err(self.syntax("expected a value"))
    }

    fn open(&mut self) -> Result<(), JsonError> {
        if self.path.len() >= NESTING_LIMIT_LEVELS {
            let (line, column) = self.place();
            return Err(JsonError::TooDeep { line, column });
        }
        self.at += 1;
        self.skip_space();
        Ok(())
    }

    fn array(&mut self) -> Result<Vec<Value>, JsonError> {
        self.open()?;
        let mut elements = Vec::new();
        if self.peek() == Some(b']') {
            self.at += 1;
            return Ok(elements);
        }
        loop {
            self.path.push(Token::Index(elements.len()));
            elements.push(self.value()?);
            self.path.pop();
            if self.peek() == Some(b']') {
                self.at += 1;
                return Ok(elements);
            }
            if !self.take(b',') {
                return Err(self.syntax("expected `,` or `]`"));
            }
        }
    }

    fn object(&mut self) -> Result<Map<String, Value>, JsonError> {
        self.open()?;
        let mut members = Map::new();
        if self.peek() == Some(b'}') {
            self.at += 1;
            return Ok(members);
        }
        loop {
            if self.peek() != Some(b'"') {
                return Err(self.syntax("expected a member's name in double quotes"));
            }
            let name = self.string()?;
            self.skip_space();
            if !self.take(b':') {
                return Err(self.syntax("expected `:` after a member's name"));
            }
            self.path.push(Token::Name(name.clone()));
            if members.contains_key(&name) {
                return Err(JsonError::DuplicateMember { pointer: self.pointer() });
            }
            members.insert(name, self.value()?);
            self.path.pop();
            if self.peek() == Some(b'}') {
                self.at += 1;
                return Ok(members);
            }
            if !self.take(b',') {
                return Err(self.syntax("expected `,` or `}`"));
            }
        }
    }

    fn string(&mut self) -> Result<String, JsonError> {
        self.at += 1;
        let mut plain = String::new();
        loop {
            let start = self.at;
            let left = &self.text.as_bytes()[start..];
            let plain_bytes = left.iter().position(|&byte| byte < b' ' || byte == b'"' || byte == b'\\');
            self.at += plain_bytes.unwrap_or(left.len());
            plain.push_str(&self.text[start..self.at]);
            match self.peek() {
                Some(b'"') => {
                    self.at += 1;
                    return Ok(plain);
                }
                Some(b'\\') => plain.push(self.escape()?),
                _ => return Err(self.syntax("a control character in a string must be escaped")),
            }
        }
    }

    fn escape(&mut self) -> Result<char, JsonError> {
        let start = self.at;
        self.at += 1;
        let escaped = match self.peek() {
            Some(mark @ (b'"' | b'\\' | b'/')) => char::from(mark),
            Some(b'b') => '\u{8}',
            Some(b'f') => '\u{c}',
            Some(b'n') => '\n',
            Some(b'r') => '\r',
            Some(b't') => '\t',
            Some(b'u') => return self.unicode_escape(start),
            _ => return Err(self.syntax("this escape does not exist in JSON")),
        };
        self.at += 1;
        Ok(escaped)
    }

    fn unicode_escape(&mut self, start: usize) -> Result<char, JsonError> {
        let mut units = vec![self.code_unit()?];
        let follows = self.text[self.at..].starts_with("\\u");
        if (0xd800..0xdc00).contains(&units[0]) && follows {
            self.at += 1;
            units.push(self.code_unit()?);
        }
        match char::decode_utf16(units).next() {
            Some(Ok(character)) => Ok(character),
            _ => {
                let (line, column) = line_and_column(&self.text[..start]);
                Err(JsonError::LoneSurrogate { line, column })
            }
        }
    }

    /// Reads the four hex digits after a `u`, which is where the reader stands.
    fn code_unit(&mut self) -> Result<u16, JsonError> {
        self.at += 1;
        let mut unit = 0;
        for _ in 0..4 {
            let digit = self
                .peek()
                .and_then(|byte| char::from(byte).to_digit(16))
                .and_then(|digit| u16::try_from(digit).ok());
            let Some(digit) = digit else {
                return Err(self.syntax("`\\u` must be followed by four hex digits"));
            };
            unit = unit << 4 | digit;
            self.at += 1;
        }
        Ok(unit)
    }

    fn digits(&mut self) -> Result<(), JsonError> {
        let start = self.at;
        while matches!(self.peek(), Some(b'0'..=b'9')) {
            self.at += 1;
        }
        if self.at == start { Err(self.syntax("expected a digit")) } else { Ok(()) }
    }

    fn number(&mut self) -> Result<Number, JsonError> {
        let start = self.at;
        if self.peek() == Some(b'-') {
            self.at += 1;
        }
        if self.peek() == Some(b'0') {
            self.at += 1;
            if matches!(self.peek(), Some(b'0'..=b'9')) {
                return Err(self.syntax("a number must not begin with a zero"));
            }
        } else {
            self.digits()?;
        }
        if self.peek() == Some(b'.') {
            self.at += 1;
            self.digits()?;
        }
        if matches!(self.peek(), Some(b'e' | b'E')) {
            self.at += 1;
            if matches!(self.peek(), Some(b'+' | b'-')) {
                self.at += 1;
            }
            self.digits()?;
        }
        read_number(&self.text[start..self.at]).map_err(|refusal| {
            let literal = self.text[start..self.at].chars().take(SHOWN_LITERAL_LIMIT_CHARACTERS).collect();
            match refusal {
                NumberRefusal::Integer => JsonError::IntegerTooLarge { pointer: self.pointer(), literal },
                NumberRefusal::TooLarge => JsonError::NumberTooLarge { pointer: self.pointer(), literal },
            }
        })
    }
}
