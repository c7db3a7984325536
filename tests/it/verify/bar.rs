//! The line that moves while `verify` searches, byte by byte as a terminal gets it.

use std::process::Command;
use support::paths;
use support::verified::bad_event_path;

/// What a terminal of so many columns gets; `script` (of util-linux) is one.
fn terminal(columns: u32, more: &str) -> String {
    let dir = tempfile::tempdir().expect("a temporary folder");
    let (program, step) = (paths::binary("onceward"), paths::step("good_deal"));
    let event = bad_event_path("good_deal");
    let verify = format!(
        "stty cols {columns}; {} verify {} --event {} --seconds 1 {more}",
        program.display(),
        step.display(),
        event.display()
    );
    let told = dir.path().join("typescript");
    let mut script = Command::new("script");
    script.args(["-qec", &verify]).arg(&told).env("TERM", "xterm");
    let output = script.output().expect("`script` starts; it is in Debian's bsdutils");
    assert!(output.status.success(), "{output:?}");
    let bytes = std::fs::read(told).expect("what the terminal got");
    let text = String::from_utf8(bytes).expect("UTF-8");
    // What `script` says of itself stands around it.
    let begin = text.find('\r').expect("a picture");
    text[begin..].to_owned()
}

/// How a picture begins: at the start of its line, with wrapping off.
const PICTURE: &str = "\r\x1b[?7l";

#[test]
fn the_bar_moves_in_one_line_and_is_gone_before_the_table() {
    for columns in [20, 200] {
        let told = terminal(columns, "");
        let (bar, table) =
            told.split_once("\r\x1b[Kwithout faults:").expect("it is cleared before the table");
        let pictures: Vec<&str> = bar.split(PICTURE).skip(1).collect();
        assert!(pictures.len() > 3 && pictures[0].starts_with("single faults 1/"), "{columns}: {bar:?}");
        // Ten pictures a second, and one where a phase begins and ends.
        assert!(pictures.len() < 100, "{columns}: {} pictures", pictures.len());
        for picture in pictures {
            assert!(picture.ends_with("\x1b[K\x1b[?7h") && !picture.contains('\n'), "{columns}: {picture:?}");
        }
        assert!(!table.contains(PICTURE), "{columns}: nothing moves after it");
    }
}

#[test]
fn there_is_no_bar_where_standard_error_is_no_terminal() {
    let told = terminal(80, "2> /dev/null");
    assert!(!told.contains(PICTURE), "{told:?}");
}
