//! As much of Rust's grammar as the rules need: what is comment, what is string, what is code.
//!
//! Owns the telling apart, and keeps every line where it is. It understands nested comments, raw strings and characters;
//! it does not understand macros, so what a macro writes is not seen.

/// A file's text twice, line for line: each time some of it is blanked.
#[derive(Debug, Default)]
pub(crate) struct Lexed {
    /// Without comments and without what strings hold.
    pub(crate) code: String,
    /// Without comments.
    pub(crate) uncommented: String,
}

impl Lexed {
    fn push(&mut self, character: char, kind: Kind) {
        let blank = if character == '\n' { '\n' } else { ' ' };
        self.code.push(if kind == Kind::Code { character } else { blank });
        self.uncommented.push(if kind == Kind::Comment { blank } else { character });
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Code,
    Text,
    Comment,
}

/// Tell the file's comments, strings and code apart.
pub(crate) fn lex(text: &str) -> Lexed {
    let characters: Vec<char> = text.chars().collect();
    let mut lexed = Lexed::default();
    let mut at = 0;
    while at < characters.len() {
        let rest = &characters[at..];
        let before = at.checked_sub(1).map(|at| characters[at]);
        let (kind, length) = next(rest, before);
        for character in &rest[..length] {
            lexed.push(*character, kind);
        }
        at += length;
    }
    lexed
}

/// What the rest starts with, and how many characters of it belong together.
fn next(rest: &[char], before: Option<char>) -> (Kind, usize) {
    let starts =
        |word: &str| word.chars().enumerate().all(|(at, character)| rest.get(at) == Some(&character));
    if starts("//") {
        let end = rest.iter().position(|character| *character == '\n');
        return (Kind::Comment, end.unwrap_or(rest.len()));
    }
    if starts("/*") {
        return (Kind::Comment, block_comment(rest));
    }
    if rest[0] == '"' {
        return (Kind::Text, string(rest));
    }
    if rest[0] == 'r' && !before.is_some_and(|before| is_name(before) && !matches!(before, 'b' | 'c')) {
        let hashes = rest[1..].iter().take_while(|character| **character == '#').count();
        if rest.get(1 + hashes) == Some(&'"') {
            return (Kind::Text, raw_string(rest, hashes));
        }
    }
    if rest[0] == '\'' {
        // Else it is a lifetime, which is code.
        if rest.get(1) == Some(&'\\') {
            let end = rest.iter().skip(3).position(|character| *character == '\'');
            return (Kind::Text, end.map_or(rest.len(), |end| end + 4));
        }
        if rest.get(2) == Some(&'\'') {
            return (Kind::Text, 3);
        }
    }
    (Kind::Code, 1)
}

fn block_comment(rest: &[char]) -> usize {
    let mut depth = 0_u32;
    let mut at = 0;
    while at < rest.len() {
        match (rest[at], rest.get(at + 1)) {
            ('/', Some('*')) => (depth, at) = (depth + 1, at + 2),
            ('*', Some('/')) => (depth, at) = (depth - 1, at + 2),
            _ => at += 1,
        }
        if depth == 0 {
            return at;
        }
    }
    rest.len()
}

fn string(rest: &[char]) -> usize {
    let mut at = 1;
    while at < rest.len() {
        match rest[at] {
            '\\' => at += 2,
            '"' => return at + 1,
            _ => at += 1,
        }
    }
    rest.len()
}

fn raw_string(rest: &[char], hashes: usize) -> usize {
    let mut end = vec!['"'];
    end.extend(std::iter::repeat_n('#', hashes));
    let body = 2 + hashes;
    let found = rest[body..].windows(end.len()).position(|window| window == end);
    found.map_or(rest.len(), |found| body + found + end.len())
}

/// Whether the character can stand in a name.
pub(crate) fn is_name(character: char) -> bool {
    character.is_alphanumeric() || character == '_'
}

/// The code without what only tests compile: each item behind `#[cfg(test)]`, its body included.
pub(crate) fn without_tests(code: &str) -> String {
    const MARK: &str = "#[cfg(test)]";
    let mut kept = code.to_owned();
    while let Some(start) = kept.find(MARK) {
        let end = start + item_length(&kept[start..]);
        let blank: String = kept[start..end].chars().map(|c| if c == '\n' { '\n' } else { ' ' }).collect();
        kept.replace_range(start..end, &blank);
    }
    kept
}

/// Up to the item's semicolon, or the end of its braces.
fn item_length(item: &str) -> usize {
    let mut depth = 0_u32;
    for (at, character) in item.char_indices() {
        match character {
            '{' => depth += 1,
            '}' if depth <= 1 => return at + 1,
            '}' => depth -= 1,
            ';' if depth == 0 => return at + 1,
            _ => {}
        }
    }
    item.len()
}

/// Where this name stands in the code as a word of its own, by byte.
pub(crate) fn places_of<'a>(code: &'a str, name: &'a str) -> impl Iterator<Item = usize> + 'a {
    code.match_indices(name).map(|(at, _)| at).filter(move |at| {
        let before = code[..*at].chars().next_back();
        let after = code[at + name.len()..].chars().next();
        !before.is_some_and(is_name) && !after.is_some_and(is_name)
    })
}

/// The name that the text starts with; empty where it starts with something else.
pub(crate) fn leading_name(text: &str) -> &str {
    text.split(|character| !is_name(character)).next().unwrap_or_default()
}

/// The line of this byte, from 1.
pub(crate) fn line_of(text: &str, at: usize) -> usize {
    text[..at].matches('\n').count() + 1
}

#[cfg(test)]
mod tests {
    use super::lex;
    use super::places_of;
    use super::without_tests;

    #[test]
    fn comments_and_strings_are_told_from_code() {
        for (text, code, uncommented) in [
            ("a // b\nc", "a     \nc", "a     \nc"),
            ("a /* b /* c */ d */ e", "a                   e", "a                   e"),
            (r#"a "b // \" c" d"#, "a             d", r#"a "b // \" c" d"#),
            (r##"a r#"b " c"# d"##, "a            d", r##"a r#"b " c"# d"##),
            ("r#type 'a' '\\'' &'a b", "r#type          &'a b", "r#type 'a' '\\'' &'a b"),
            ("for\"x\"", "for   ", "for\"x\""),
        ] {
            let lexed = lex(text);
            assert_eq!((lexed.code.as_str(), lexed.uncommented.as_str()), (code, uncommented), "{text}");
        }
    }

    #[test]
    fn what_only_tests_compile_is_left_out() {
        let code =
            "use a;\n#[cfg(test)]\nmod tests {\n fn b() { c }\n}\nfn d() {}\n#[cfg(test)] mod e;\nfn f() {}";
        let kept: Vec<_> = without_tests(code).split_whitespace().map(str::to_owned).collect();
        assert_eq!(kept.join(" "), "use a; fn d() {} fn f() {}");
    }

    #[test]
    fn a_name_is_a_whole_word() {
        assert_eq!(places_of("tokio tokio_util my_tokio ::tokio::x", "tokio").collect::<Vec<_>>(), [0, 28]);
    }
}
