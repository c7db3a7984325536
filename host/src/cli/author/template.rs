//! What a new step is made of, in each language. The manifests of TypeScript and Python are those of the project's own plugins, so that there
//! is one set of versions that is tried.

use onceward_toolchain::{Interpreted, Language};

/// A plugin's file of this language.
macro_rules! plugin {
    ($name:literal) => {
        include_str!(concat!("../../../../plugins/lead-classifier-", $name))
    };
}

const EVENT: &str = include_str!("template/event.json.txt");
const RULES: &str = include_str!("template/rules.json.txt");

const RUST: &[(&str, &str)] = &[
    ("Cargo.toml", include_str!("template/rust/Cargo.toml.txt")),
    ("src/lib.rs", include_str!("template/rust/lib.rs.txt")),
    (".gitignore", include_str!("template/rust/gitignore.txt")),
];

const TYPESCRIPT: &[(&str, &str)] = &[
    ("package.json", plugin!("ts/package.json")),
    ("package-lock.json", plugin!("ts/package-lock.json")),
    ("tsconfig.json", plugin!("ts/tsconfig.json")),
    ("src/step.ts", include_str!("template/typescript/step.ts.txt")),
    ("test/step.test.ts", include_str!("template/typescript/step.test.ts.txt")),
    (".gitignore", include_str!("template/typescript/gitignore.txt")),
];

const PYTHON: &[(&str, &str)] = &[
    ("pyproject.toml", plugin!("py/pyproject.toml")),
    ("step.py", include_str!("template/python/step.py.txt")),
    ("tests/__init__.py", include_str!("template/python/tests.py.txt")),
    ("tests/test_step.py", include_str!("template/python/test_step.py.txt")),
    (".gitignore", include_str!("template/python/gitignore.txt")),
];

/// The files of a step of this name, by their paths.
pub(super) fn files(language: Language, name: &str) -> Vec<(String, String)> {
    let own = match language {
        Language::Rust => RUST,
        Language::Interpreted(Interpreted::TypeScript) => TYPESCRIPT,
        Language::Interpreted(Interpreted::Python) => PYTHON,
    };
    let shared = [("event.json", EVENT), ("rules.json", RULES)];
    let fill = |text: &str| {
        text.replace("@NAME@", name)
            .replace("@TYPE@", &type_of(name))
            .replace("lead-classifier-ts", name)
            .replace("lead-classifier-py", name)
            .replace("../../guest-sdk/typescript", "./sdk/onceward-guest")
            .replace("../../guest-sdk/python", "sdk/onceward-guest")
    };
    own.iter().chain(&shared).map(|(path, text)| ((*path).to_owned(), fill(text))).collect()
}

/// How a step's own test is run.
pub(super) const fn test(language: Language) -> &'static str {
    match language {
        Language::Rust => "cargo test",
        Language::Interpreted(Interpreted::TypeScript) => "npm ci && npm test",
        Language::Interpreted(Interpreted::Python) => "python3 -m unittest",
    }
}

/// `LeadRouter` of `lead-router`.
fn type_of(name: &str) -> String {
    let words = name.split('-').map(|word| {
        let mut letters = word.chars();
        letters.next().map(|first| first.to_ascii_uppercase()).into_iter().chain(letters).collect::<String>()
    });
    words.collect()
}

#[cfg(test)]
mod tests {
    use super::{files, type_of};
    use onceward_toolchain::Language;

    #[test]
    fn a_type_is_named_like_its_step() {
        for (name, type_name) in [("a", "A"), ("lead-router", "LeadRouter"), ("v2-step", "V2Step")] {
            assert_eq!(type_of(name), type_name);
        }
    }

    #[test]
    fn a_new_step_names_neither_the_template_nor_the_repository() {
        for language in Language::ALL {
            let files = files(language, "own-step");
            assert!(files.iter().any(|(path, _)| path == language.manifest()), "{language:?}");
            for (path, text) in files {
                for word in ["@NAME@", "@TYPE@", "lead-classifier", "guest-sdk", "../.."] {
                    assert!(!text.contains(word), "{path} has {word}");
                }
            }
        }
    }
}
