//! The configuration file: read alike each time, or refused with a place.

use onceward::cli::config::Config;

/// A text is refused with words that name a place, or it is read, and then alike where it only looks different.
///
/// # Panics
/// Where that does not hold.
pub fn check(bytes: &[u8]) {
    let Ok(text) = std::str::from_utf8(bytes) else { return };
    let read = |text: &str| Config::read(text).map(|config| format!("{config:?}"));
    let config = match read(text) {
        Ok(config) => config,
        Err(error) => {
            let told = format!("{error:#}");
            assert!(["line ", "[", "`"].iter().any(|mark| told.contains(mark)), "{told:?} names no place");
            assert!(error.chain().all(|cause| !cause.to_string().trim().is_empty()), "{told:?}");
            return;
        }
    };
    for (how, other) in [
        ("a last comment", format!("{text}\n# the end\n")),
        ("a first comment", format!("# the beginning\n\n{text}")),
        ("blanks at its end", format!("{text}\n \t\n")),
    ] {
        let other = read(&other).unwrap_or_else(|error| panic!("{how} is refused: {error:#}: {text:?}"));
        assert_eq!(other, config, "{how} changes it");
    }
}
